package import Posix

/// A request as it came: its first line, and those of its headers that count here.
package struct HTTPRequest: Sendable {
  /// The headers that are looked at.
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
    case webSocketKey = "Sec-WebSocket-Key"
    case webSocketVersion = "Sec-WebSocket-Version"
  }

  /// The verb, such as GET.
  package var method: String
  /// The path, without the query, and with its escapes resolved.
  package var path: String
  /// The parts of the query: names, and values where there are any.
  package var query: [(name: String, value: String?)] = []
  /// The headers that came.
  package var headers: [Header: String] = [:]
  /// The address of who asks.
  package var peer: IPAddress

  /// A request without headers.
  package init(_ method: String, _ path: String, from peer: IPAddress) {
    self.method = method
    self.path = path
    self.peer = peer
  }

  /// The text of a header.
  package subscript(header: Header) -> String? {
    get { headers[header] }
    set { headers[header] = newValue }
  }

  /// The path below a folder, with the slash before it; nil where it is not there.
  package func path(below folder: String) -> String? {
    guard path.hasPrefix(folder) else { return nil }
    let rest = path.dropFirst(folder.count)
    return rest.isEmpty || rest.hasPrefix("/") ? String(rest) : nil
  }

  /// The value of a part of the query; nil where it is not there, or has none.
  package func query(_ name: String) -> String? {
    query.first { $0.name == name }.flatMap(\.value)
  }

  /// Whether it only reads.
  package var isReading: Bool { method == "GET" || method == "HEAD" }

  /// Whether it comes from a page of the host that it asks, or from no page at all.
  package var isOfOwnOrigin: Bool {
    guard let origin = self[.origin]?.lowercased() else { return true }
    let host = self[.host]?.lowercased() ?? ""
    return origin == "http://\(host)" || origin == "https://\(host)"
  }

  /// Whether it asks for a page rather than for data.
  package var wantsPage: Bool { self[.accept]?.lowercased().contains("text/html") ?? false }

  /// Whether it asks to go on as a WebSocket.
  package var wantsSocket: Bool { self[.upgrade]?.lowercased() == "websocket" }

  /// The token that it carries.
  package var bearer: String? {
    guard let text = self[.authorization], text.lowercased().hasPrefix("bearer ") else {
      return nil
    }
    return String(text.dropFirst(7))
  }
}
