/// A request to another server, and what its answer may be.
package struct HTTPCall: Sendable {
  /// The verb, such as GET.
  package var method: String
  /// The place that is asked.
  package var url: HTTPPlace
  /// The headers, but for those that every request has.
  package var headers: [(name: String, value: String)] = []
  /// What is sent; nil for nothing.
  package var body: [UInt8]?
  /// So many bytes may come at most.
  package var mostBytes = 1 << 20
  /// So many seconds the whole may take at most.
  package var seconds = 20.0
  /// So often the answer may lead elsewhere.
  package var mostRedirects = 0
  /// Whether another place may be asked where an answer leads there.
  package var allows: @Sendable (HTTPPlace) -> Bool = { _ in false }

  /// A request for a place.
  package init(_ method: String, _ url: HTTPPlace) {
    self.method = method
    self.url = url
  }
}

/// An answer of another server.
package struct HTTPReply: Sendable {
  /// The number that says what became of the request.
  package let status: Int
  /// What came.
  package let body: [UInt8]
}

/// The reason why there is no answer.
package enum HTTPFault: Error, Equatable, Sendable {
  /// The server can't be reached, or went away; it may be there later.
  case unreachable(String)
  /// What came is nothing that could be used.
  case unusable(String)

  /// The reason, for people.
  package var message: String {
    switch self {
    case .unreachable(let message), .unusable(let message): message
    }
  }
}
