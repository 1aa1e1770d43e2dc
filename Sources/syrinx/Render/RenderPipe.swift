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
    var pattern = Array(((Environment["TMPDIR"] ?? "/tmp") + "/syrinx-render-XXXXXX").utf8CString)
    guard mkdtemp(&pattern) != nil else {
      throw Failure(.cannotWrite, "can't write \(SystemError("a folder in the TMPDIR"))")
    }
    folder = String(
      decoding: pattern.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
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
        .usage, "standard input is the terminal; a sound file comes through a pipe or <")
    }
    do throws(SystemError) {
      let file = try Descriptor(
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), orThrow: path)
      try Self.copy(from: 0, "standard input", to: file.number, path)
    } catch {
      throw Failure(.cannotWrite, "can't keep standard input in \(error)")
    }
  }

  /// Copies the file to standard output.
  func writeOutput() throws(Failure) {
    do throws(SystemError) {
      let file = try Descriptor(open(path, O_RDONLY | O_CLOEXEC), orThrow: path)
      try Self.copy(from: file.number, path, to: 1, "standard output")
    } catch {
      throw Failure(.cannotWrite, "can't write \(error)")
    }
  }

  private static func copy(
    from source: Int32, _ sourceName: String, to target: Int32, _ targetName: String
  ) throws(SystemError) {
    var block = [UInt8](repeating: 0, count: blockBytes)
    while true {
      let count = read(source, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(sourceName) }
      if count == 0 { return }
      var done = 0
      while done < count {
        let put = block[done..<count].withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        if put < 0, errno == EINTR { continue }
        guard put > 0 else { throw SystemError(targetName) }
        done += put
      }
    }
  }
}
