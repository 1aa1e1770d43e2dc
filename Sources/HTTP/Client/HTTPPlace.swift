internal import CCurl

/// An absolute `http` or `https` URL.
package struct HTTPPlace: Hashable, Sendable, CustomStringConvertible {
  /// The text of the URL.
  package let text: String
  /// `http` or `https`.
  package let scheme: String
  /// The host name or address in lowercase.
  ///
  /// IPv6 addresses are in brackets.
  package let host: String
  /// The port.
  package let port: UInt16

  package var description: String { text }

  /// Parses a URL.
  ///
  /// Returns nil if it is invalid or contains credentials.
  package init?(_ text: String) {
    guard let end = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<end.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    // No spaces, control characters or backslashes, which could alter the request.
    guard text.utf8.count <= 2000, text.utf8.allSatisfy({ 33...126 ~= $0 && $0 != 92 }) else {
      return nil
    }
    let authority = text[end.upperBound...].prefix { !"/?#".contains($0) }
    guard !authority.isEmpty, !authority.contains("@") else { return nil }
    let host: Substring
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      host = authority[...close]
    } else {
      host = authority.prefix { $0 != ":" }
    }
    let rest = authority[host.endIndex...]
    var port: UInt16 = scheme == "https" ? 443 : 80
    if !rest.isEmpty {
      guard rest.hasPrefix(":"), let given = UInt16(rest.dropFirst()), given > 0 else { return nil }
      port = given
    }
    guard !host.isEmpty else { return nil }
    self.text = text
    self.scheme = scheme
    self.host = host.lowercased()
    self.port = port
  }

  /// Appends a path, without a double slash.
  package func appending(_ path: String) -> HTTPPlace? {
    HTTPPlace((text.hasSuffix("/") ? String(text.dropLast()) : text) + path)
  }

  /// Whether both are on the same server.
  package func isOnServer(of other: HTTPPlace) -> Bool {
    (scheme, host, port) == (other.scheme, other.host, other.port)
  }

  /// Percent-encodes a component of a path or query.
  package static func escaped(_ text: String) -> String {
    guard let escaped = curl_easy_escape(nil, text, Int32(text.utf8.count)) else {
      preconditionFailure("no memory for libcurl")
    }
    defer { curl_free(escaped) }
    return String(cString: escaped)
  }
}
