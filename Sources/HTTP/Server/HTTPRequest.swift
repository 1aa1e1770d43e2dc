package import Posix

/// A request: its request line and the headers in use.
package struct HTTPRequest: Sendable {
  /// The headers that are read.
  package enum Header: String, CaseIterable, Sendable {
    case host = "Host"
    case origin = "Origin"
    case accept = "Accept"
    case acceptEncoding = "Accept-Encoding"
    case authorization = "Authorization"
    case contentLength = "Content-Length"
    case ifNoneMatch = "If-None-Match"
    case range = "Range"
    case upgrade = "Upgrade"
    case forwardedProtocol = "X-Forwarded-Proto"
    case webSocketKey = "Sec-WebSocket-Key"
    case webSocketVersion = "Sec-WebSocket-Version"
  }

  /// The method, such as GET.
  package var method: String
  /// The percent-decoded path, without the query.
  package var path: String
  /// The query parameters: names and optional values.
  package var query: [(name: String, value: String?)] = []
  /// The headers received.
  package var headers: [Header: String] = [:]
  /// The address of the client.
  package var peer: IPAddress

  /// Creates a request without headers.
  package init(_ method: String, _ path: String, from peer: IPAddress) {
    self.method = method
    self.path = path
    self.peer = peer
  }

  /// The value of a header.
  package subscript(header: Header) -> String? {
    get { headers[header] }
    set { headers[header] = newValue }
  }

  /// Returns the path relative to a folder, with a leading slash, or nil if it is outside.
  package func path(below folder: String) -> String? {
    guard path.hasPrefix(folder) else { return nil }
    let rest = path.dropFirst(folder.count)
    return rest.isEmpty || rest.hasPrefix("/") ? String(rest) : nil
  }

  /// Returns the value of a query parameter, or nil if it is missing or has none.
  package func query(_ name: String) -> String? {
    query.first { $0.name == name }.flatMap(\.value)
  }

  /// Whether the method is GET or HEAD.
  package var isReading: Bool { method == "GET" || method == "HEAD" }

  /// Whether the request is same-origin, or not from a page at all.
  package var isOfOwnOrigin: Bool {
    guard let origin = self[.origin]?.lowercased() else { return true }
    let host = self[.host]?.lowercased() ?? ""
    return origin == "http://\(host)" || origin == "https://\(host)"
  }

  /// Whether the client prefers a page to data.
  package var wantsPage: Bool { self[.accept]?.lowercased().contains("text/html") ?? false }

  /// Whether the request is an upgrade to a WebSocket.
  package var wantsSocket: Bool { self[.upgrade]?.lowercased() == "websocket" }

  /// The bearer token.
  package var bearer: String? {
    guard let text = self[.authorization], text.lowercased().hasPrefix("bearer ") else {
      return nil
    }
    return String(text.dropFirst(7))
  }
}
