internal import HTTP

/// The answer to a WebSocket's key, by which a client knows that it was understood.
enum WebSocketKey {
  // As RFC 6455 has it.
  private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /// The answer to a key; nil where that is none.
  static func answer(to key: String) -> String? {
    // Sixteen bytes in base 64.
    guard key.utf8.count == 24, key.hasSuffix("==") else { return nil }
    return Base64.text(of: SHA1.digest(Array((key + suffix).utf8)))
  }
}
