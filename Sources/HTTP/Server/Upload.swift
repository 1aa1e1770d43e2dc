internal import Glibc
package import Posix

/// A request body that is received into a file, which is deleted with this object.
package final class Upload: @unchecked Sendable {
  // Accessed by the receiving thread only, then by the one that finishes it.
  private let most: Int
  private let folder: String
  /// The path of the file.
  package let path: String
  private var file: Descriptor?
  private var count = 0
  private let whenWhole:
    @Sendable (_ path: String, _ upload: Upload, _ reply: @escaping HTTPServer.Reply) -> Void

  /// Begins to receive at most `most` bytes into a file, in a new folder below `place`.
  package init(
    in place: String, named name: String, most: Int,
    whenWhole: @escaping @Sendable (String, Upload, @escaping HTTPServer.Reply) -> Void
  ) throws(SystemError) {
    folder = "\(place)/\(Hexadecimal.random(bytes: 8))"
    path = "\(folder)/\(name)"
    self.most = most
    self.whenWhole = whenWhole
    try Files.makeFolder(folder)
    file = try Descriptor(creating: path)
  }

  deinit {
    unlink(path)
    rmdir(folder)
  }

  /// The refusal of a request whose body is declared longer than `most` bytes; nil otherwise.
  package static func refusal(of request: HTTPRequest, most: Int) -> HTTPAnswer? {
    let count = request[.contentLength].flatMap { Int($0) } ?? 0
    return count > most ? tooLarge(most) : nil
  }

  private static func tooLarge(_ most: Int) -> HTTPAnswer {
    .refusal(413, "too large; the limit is \(most >> 20) MB")
  }

  /// Sanitizes a file name given by a client.
  package static func plainName(_ given: String?, otherwise usual: String) -> String {
    let name = (given ?? "").split(separator: "/").last ?? ""
    let scalars = name.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.prefix(60)
    let plain = String(String.UnicodeScalarView(scalars))
    return plain.isEmpty || plain.hasPrefix(".") ? usual : plain
  }

  /// Writes bytes.
  ///
  /// Returns an error response if no more can be accepted.
  func take(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer? {
    count += bytes.count
    guard let file, count <= most else { return Self.tooLarge(most) }
    do throws(SystemError) {
      try file.write(bytes, action: path)
      return nil
    } catch {
      return .refusal(507, "can't save it: \(error.reason)")
    }
  }

  /// Returns an error message without the temporary folder.
  package func plain(_ line: String) -> String { line.replacing("\(folder)/", with: "") }

  /// Passes on the complete file.
  func finish(_ reply: @escaping HTTPServer.Reply) {
    file = nil
    whenWhole(path, self, reply)
  }
}
