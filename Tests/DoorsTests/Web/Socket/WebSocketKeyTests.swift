import Testing

@testable import Doors

/// The answer to the key by which a client opens a WebSocket.
@Suite struct WebSocketKeyTests {
  @Test func `a WebSocket's key is answered as in RFC 6455`() {
    #expect(
      WebSocketKey.answer(to: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(WebSocketKey.answer(to: "short") == nil)
  }
}
