internal import Glibc
internal import Posix

extension HTTPAnswer {
  // Longer bodies are stored on disk until a slow client has received them.
  private static let mostInMemory = 256 << 10

  /// Creates a response with bytes, or with the requested range of them.
  ///
  /// Large bodies are stored in an unnamed temporary file in `folder`.
  package static func range(
    of bytes: [UInt8], type: String, for request: HTTPRequest, folder: String,
    headers: [(name: String, value: String)]
  ) -> HTTPAnswer {
    range(of: bytes.count, for: request, headers: headers) { part, headers in
      whole(
        part.count == bytes.count ? bytes : Array(bytes[part]), type: type, folder: folder,
        headers: headers)
    }
  }

  /// Creates a response for a body of `size` bytes, or for the requested range of it.
  ///
  /// `make` makes it from the range and the headers.
  package static func range(
    of size: Int, for request: HTTPRequest, headers: [(name: String, value: String)],
    make: (_ part: Range<Int>, _ headers: [(name: String, value: String)]) -> HTTPAnswer
  ) -> HTTPAnswer {
    let headers = headers + [("Accept-Ranges", "bytes")]
    guard let text = request[.range], let range = ByteRange(text, size: size) else {
      return make(0..<size, headers)
    }
    guard let part = range.bytes else {
      return .empty(416, headers: [("Content-Range", "bytes */\(size)")])
    }
    let place = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
    var answer = make(part, headers + [("Content-Range", place)])
    answer.status = 206
    return answer
  }

  /// Creates a response with bytes.
  ///
  /// Large bodies are stored in an unnamed temporary file in `folder`.
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
    try file.write(bytes, action: folder)
    return file
  }
}
