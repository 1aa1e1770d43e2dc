internal import HTTP

/// The `Sec-WebSocket-Accept` value of the opening handshake.
enum WebSocketKey {
  // From RFC 6455.
  private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /// The accept value for a client's key; nil if the key is invalid.
  static func answer(to key: String) -> String? {
    // Sixteen bytes in base64.
    guard key.utf8.count == 24, key.hasSuffix("==") else { return nil }
    return Base64.text(of: SHA1.digest(Array((key + suffix).utf8)))
  }
}
