/// A request to another server, with limits for its response.
package struct HTTPCall: Sendable {
  /// The method, such as GET.
  package var method: String
  /// The URL.
  package var url: HTTPPlace
  /// Additional headers.
  package var headers: [(name: String, value: String)] = []
  /// The body, or nil for none.
  package var body: [UInt8]?
  /// The maximum size of the response, in bytes.
  package var mostBytes = 1 << 20
  /// Receives the body of a response with status 200 as it arrives, which then has none.
  ///
  /// Returns false to end the request.
  package var receive: (@Sendable (UnsafeRawBufferPointer) -> Bool)?
  /// The timeout of the whole request, in seconds.
  package var seconds = 20.0
  /// The time in seconds after which a transfer that has all but stopped counts as dead.
  package var patience = 15
  /// The maximum number of redirects.
  package var mostRedirects = 0
  /// Whether a redirect to a URL is allowed.
  package var allows: @Sendable (HTTPPlace) -> Bool = { _ in false }

  /// Creates a request for a URL.
  package init(_ method: String, _ url: HTTPPlace) {
    self.method = method
    self.url = url
  }
}

/// A response of another server.
package struct HTTPReply: Sendable {
  /// The status code.
  package let status: Int
  /// The body.
  package let body: [UInt8]
}

/// The reason why a request failed.
package enum HTTPFault: Error, Equatable, Sendable {
  /// The server can't be reached or closed the connection. Another attempt may succeed.
  case unreachable(String)
  /// The response can't be used.
  case unusable(String)
  /// The receiver of the response's body refused it.
  case refused

  /// The message, in one line.
  package var message: String {
    switch self {
    case .unreachable(let message), .unusable(let message): message
    case .refused: "the reply has an unexpected form"
    }
  }
}
