package import JSON
package import Posix

/// A response to a request, which can also be the error of one.
package struct HTTPAnswer: Error {
  /// The body of a response.
  package enum Body: Sendable {
    case bytes([UInt8])
    /// A range of an open file.
    case file(Descriptor, from: Int, count: Int)
  }

  /// The status code.
  package var status: Int
  /// The headers, except for the common ones.
  package var headers: [(name: String, value: String)]
  /// The body.
  package var body: Body

  /// Creates a response with bytes of a content type.
  package init(
    _ status: Int, _ bytes: [UInt8], type: String,
    headers: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.headers = [("Content-Type", type)] + headers
    body = .bytes(bytes)
  }

  /// Creates a response with a range of a file.
  package init(
    _ status: Int, _ file: Descriptor, from start: Int, count: Int,
    headers: [(name: String, value: String)]
  ) {
    self.status = status
    self.headers = headers
    body = .file(file, from: start, count: count)
  }

  /// Creates a JSON response.
  package static func json(_ text: String) -> HTTPAnswer {
    HTTPAnswer(
      200, Array(text.utf8), type: "application/json",
      headers: [("Cache-Control", "no-store")])
  }

  /// Creates a JSON response with a value.
  package static func json(_ value: JSONText) -> HTTPAnswer { json(value.text) }

  /// Creates an error response.
  ///
  /// The line says what was wrong and what is accepted.
  package static func refusal(
    _ status: Int, _ line: String, headers: [(name: String, value: String)] = []
  ) -> HTTPAnswer {
    var answer = json((["error": line] as JSONText).text + "\n")
    answer.status = status
    answer.headers += headers
    return answer
  }

  /// Creates a response without a body.
  package static func empty(
    _ status: Int, headers: [(name: String, value: String)] = []
  ) -> HTTPAnswer {
    var answer = HTTPAnswer(status, [], type: "text/plain")
    answer.headers = headers
    return answer
  }
}
