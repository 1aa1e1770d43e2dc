import Doors
import TestSupport
import Testing

/// The framing of WebSockets, without a socket.
@Suite struct WebSocketFramingTests {
  private let framing = WebSocketFraming()

  private func take(_ bytes: [UInt8]) -> [WebSocketFraming.Message] {
    bytes.withUnsafeBytes(framing.take)
  }

  /// The code of its close frame; nil if it sends none.
  private var closing: UInt16? {
    let bytes = framing.takeOutgoing()
    guard bytes.count >= 4, bytes[0] == 0x88 else { return nil }
    return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
  }

  @Test func `messages are complete, however they are split`() {
    let packet = (0..<300).map { UInt8($0 & 255) }
    let bytes = WebFrame.sent(2, packet) + WebFrame.sent(1, Array("{}".utf8))
    var messages: [WebSocketFraming.Message] = []
    for byte in bytes { messages += take([byte]) }
    #expect(messages == [.binary(packet), .text(Array("{}".utf8))])
    #expect(!framing.hasEnded && framing.takeOutgoing().isEmpty)
  }

  @Test func `a fragmented message is one, with a ping in between`() {
    let bytes =
      WebFrame.sent(2, [1, 2], isLast: false) + WebFrame.sent(9, [7])
      + WebFrame.sent(0, [3, 4])
    #expect(take(bytes) == [.binary([1, 2, 3, 4])])
    #expect(framing.takeOutgoing() == [0x8A, 1, 7])
  }

  @Test func `sent frames have no mask, and the shortest length`() {
    framing.send([1, 2, 3])
    #expect(framing.takeOutgoing() == [0x82, 3, 1, 2, 3])
    framing.send([UInt8](repeating: 0, count: 126))
    #expect(framing.takeOutgoing().prefix(4) == [0x82, 126, 0, 126])
    framing.send([UInt8](repeating: 0, count: 70_000))
    #expect(framing.takeOutgoing().prefix(10) == [0x82, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70])
    framing.send("ä")
    #expect(framing.takeOutgoing() == [0x81, 2, 0xC3, 0xA4])
    framing.ping()
    #expect(framing.takeOutgoing() == [0x89, 0])
  }

  @Test func `an unmasked frame ends it`() {
    #expect(take(WebFrame.sent(2, [1], isMasked: false)).isEmpty)
    #expect(framing.hasEnded && closing == 1002)
    #expect(take(WebFrame.sent(2, [1])).isEmpty)
  }

  @Test(arguments: [0x83, 0x8B, 0xC2, 0x80] as [UInt8])
  func `a frame of an unknown kind, or of no message, ends it`(first: UInt8) {
    #expect(take([first] + WebFrame.sent(2, [1]).dropFirst()).isEmpty)
    #expect(framing.hasEnded && closing == 1002)
  }

  @Test func `invalid UTF-8 in a text ends it`() {
    #expect(take(WebFrame.sent(1, [0xFF, 0xFE])).isEmpty)
    #expect(framing.hasEnded && closing == 1007)
  }

  @Test func `a message of 64 kB is accepted, and one more byte ends it`() {
    let most = [UInt8](repeating: 5, count: WebSocketFraming.longest)
    #expect(take(WebFrame.sent(2, most)) == [.binary(most)])
    #expect(take(WebFrame.sent(2, most + [5])).isEmpty)
    #expect(framing.hasEnded && closing == 1009)
  }

  @Test func `a close frame is answered`() {
    #expect(take(WebFrame.sent(8, [3, 0xE8])).isEmpty)
    #expect(framing.hasEnded && closing == 1000)
  }

  @Test func `a pong is reported, and noise never crashes it`() {
    #expect(take(WebFrame.sent(10, [])) == [.pong])
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let framing = WebSocketFraming()
      let noise = (0..<Int.random(in: 1...400)).map { _ in UInt8.random(in: 0...255, using: &random)
      }
      for start in stride(from: 0, to: noise.count, by: 37) {
        _ = noise[start..<min(start + 37, noise.count)].withUnsafeBytes(framing.take)
      }
    }
  }
}
