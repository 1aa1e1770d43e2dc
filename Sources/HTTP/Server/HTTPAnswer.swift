internal import JSON
package import Posix

/// An answer to a request.
package struct HTTPAnswer: Sendable {
  /// The sound or text that it brings.
  package enum Body: Sendable {
    case bytes([UInt8])
    /// So many bytes of an open file, from a place on.
    case file(Descriptor, from: Int, count: Int)
  }

  /// The number that says what became of the request.
  package var status: Int
  /// The headers, but for those that every answer has.
  package var headers: [(name: String, value: String)]
  /// What it brings.
  package var body: Body

  /// An answer of bytes of a type.
  package init(
    _ status: Int, _ bytes: [UInt8], type: String,
    headers: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.headers = [("Content-Type", type)] + headers
    body = .bytes(bytes)
  }

  /// An answer of a part of a file.
  package init(
    _ status: Int, _ file: Descriptor, from start: Int, count: Int,
    headers: [(name: String, value: String)]
  ) {
    self.status = status
    self.headers = headers
    body = .file(file, from: start, count: count)
  }

  /// An answer of JSON.
  package static func json(_ text: String) -> HTTPAnswer {
    HTTPAnswer(
      200, Array(text.utf8), type: "application/json",
      headers: [("Cache-Control", "no-store")])
  }

  /// One line that says what was wrong, and what would be right.
  package static func refusal(_ status: Int, _ line: String) -> HTTPAnswer {
    var json = JSONText()
    json.begin("{")
    json.add("error", line)
    json.end("}")
    return HTTPAnswer(
      status, Array((json.text + "\n").utf8), type: "application/json",
      headers: [("Cache-Control", "no-store")])
  }

  /// An answer that says nothing but its number.
  package static func empty(_ status: Int) -> HTTPAnswer {
    var answer = HTTPAnswer(status, [], type: "text/plain")
    answer.headers = []
    return answer
  }
}
