internal import Glibc
internal import Posix

extension HTTPAnswer {
  // What is longer than that waits on the disk until a slow reader has it.
  private static let mostInMemory = 256 << 10

  /// An answer of bytes of a type, or of the part of them that was asked for.
  ///
  /// Long ones lie in a file without a name meanwhile, in a folder.
  package static func range(
    of bytes: [UInt8], type: String, for request: HTTPRequest, folder: String,
    headers: [(name: String, value: String)]
  ) -> HTTPAnswer {
    let headers = headers + [("Accept-Ranges", "bytes")]
    guard let text = request[.range], let range = ByteRange(text, size: bytes.count) else {
      return whole(bytes, type: type, folder: folder, headers: headers)
    }
    guard let part = range.bytes else {
      var answer = HTTPAnswer.empty(416)
      answer.headers = [("Content-Range", "bytes */\(bytes.count)")]
      return answer
    }
    let place = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"
    var answer = whole(
      Array(bytes[part]), type: type, folder: folder, headers: headers + [("Content-Range", place)])
    answer.status = 206
    return answer
  }

  /// An answer of bytes of a type; long ones lie in a file without a name meanwhile, in a folder.
  package static func whole(
    _ bytes: [UInt8], type: String, folder: String, headers: [(name: String, value: String)]
  ) -> HTTPAnswer {
    guard bytes.count > mostInMemory, let file = try? unnamed(bytes, folder) else {
      return HTTPAnswer(200, bytes, type: type, headers: headers)
    }
    return HTTPAnswer(
      200, file, from: 0, count: bytes.count, headers: [("Content-Type", type)] + headers)
  }

  private static func unnamed(_ bytes: [UInt8], _ folder: String) throws(SystemError) -> Descriptor
  {
    var path = Array("\(folder)/XXXXXX".utf8CString)
    let file = try Descriptor(mkstemp(&path), orThrow: folder)
    _ = fcntl(file.number, F_SETFD, FD_CLOEXEC)
    unlink(path)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(folder) }
      rest = rest.dropFirst(count)
    }
    return file
  }
}
