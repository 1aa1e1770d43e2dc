internal import Glibc
package import Posix

/// A body that is being received into a file, which vanishes with it.
package final class Upload: @unchecked Sendable {
  // Only the thread that receives it touches it, and then who finishes it.
  private let most: Int
  private let folder: String
  /// The path of the file.
  package let path: String
  private var file: Descriptor?
  private var count = 0
  private let refusal: HTTPAnswer?
  private let whenWhole:
    @Sendable (_ path: String, _ upload: Upload, _ reply: @escaping HTTPServer.Reply) -> Void

  /// Begins to receive so many bytes at most into a file of a name, in a new folder below one.
  package init(
    in place: String, named name: String, most: Int,
    whenWhole: @escaping @Sendable (String, Upload, @escaping HTTPServer.Reply) -> Void
  ) throws(SystemError) {
    folder =
      "\(place)/\(Hexadecimal.text(of: DigestBlocks.bigEndian(UInt64.random(in: 0 ... .max))))"
    path = "\(folder)/\(name)"
    self.most = most
    self.whenWhole = whenWhole
    refusal = nil
    try Files.makeFolder(folder)
    file = try Descriptor(
      open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), orThrow: path)
  }

  /// Receives what nobody wants any more.
  init(refusing refusal: HTTPAnswer) {
    self.refusal = refusal
    folder = ""
    path = ""
    most = 0
    whenWhole = { (_, _, _) in }
  }

  deinit {
    guard !folder.isEmpty else { return }
    unlink(path)
    rmdir(folder)
  }

  /// A name that somebody gave a file, as one in a folder can be.
  package static func plainName(_ given: String?, otherwise usual: String) -> String {
    let name = (given ?? "").split(separator: "/").last ?? ""
    let scalars = name.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.prefix(60)
    let plain = String(String.UnicodeScalarView(scalars))
    return plain.isEmpty || plain.hasPrefix(".") ? usual : plain
  }

  /// Takes some bytes; returns the answer where no more can be taken.
  func take(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer? {
    guard let file else { return nil }
    count += bytes.count
    guard count <= most else {
      return .refusal(413, "that is too large: \(most >> 20) MB are taken at most")
    }
    do throws(SystemError) {
      try file.write(bytes, action: path)
      return nil
    } catch {
      return .refusal(507, "it can't be kept: \(String(cString: strerror(error.code)))")
    }
  }

  /// The line of a refusal without the folder that the file lay in for a moment.
  package func plain(_ line: String) -> String { line.replacing("\(folder)/", with: "") }

  /// Hands it over when it is whole.
  func finish(_ reply: @escaping HTTPServer.Reply) {
    if let refusal { return reply { refusal } }
    file = nil
    whenWhole(path, self, reply)
  }
}
