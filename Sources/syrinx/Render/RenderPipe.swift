internal import Glibc
internal import Posix

/// A temporary file between a pipe and `render`.
///
/// Some formats store at their start what only their end determines, so the whole file must be
/// available.
final class RenderPipe {
  private static let blockBytes = 1 << 16

  /// The path of the file, which has its own folder.
  let path: String
  private let folder: String

  /// Creates a folder for a file that doesn't exist yet.
  init(named name: String) throws(Failure) {
    folder = try Failure.of(
      .cannotWrite, "can't write ", try Files.makeTemporaryFolder("syrinx-render"))
    path = "\(folder)/\(name)"
  }

  deinit { remove() }

  /// Deletes the file and its folder.
  func remove() {
    unlink(path)
    rmdir(folder)
  }

  /// Fills the file from standard input.
  func readInput() throws(Failure) {
    guard isatty(0) != 1 else {
      throw Failure(
        .usage, "standard input is a terminal; redirect a sound file to it")
    }
    try Failure.of(
      .cannotWrite, "can't store standard input in ",
      try Self.copy(from: 0, "standard input", to: Descriptor(creating: path), path))
  }

  /// Copies the file to standard output.
  func writeOutput() throws(Failure) {
    try Failure.of(.cannotWrite, "can't write ", try copyToOutput())
  }

  private func copyToOutput() throws(SystemError) {
    let file = try Descriptor(open(path, O_RDONLY | O_CLOEXEC), orThrow: path)
    try Self.copy(
      from: file.number, path, to: Descriptor(dup(1), orThrow: "standard output"),
      "standard output")
  }

  private static func copy(
    from source: Int32, _ sourceName: String, to target: Descriptor, _ targetName: String
  ) throws(SystemError) {
    var block = [UInt8](repeating: 0, count: blockBytes)
    while true {
      let count = read(source, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(sourceName) }
      if count == 0 { return }
      try target.write(Array(block[..<count]), action: targetName)
    }
  }
}
