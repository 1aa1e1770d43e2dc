import Testing

@testable import Doors

/// The accept value of the opening handshake.
@Suite struct WebSocketKeyTests {
  @Test func `a WebSocket key is answered as in RFC 6455`() {
    #expect(
      WebSocketKey.answer(to: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(WebSocketKey.answer(to: "short") == nil)
  }
}
