import OSC
import Testing

@Suite struct StreamFramingTests {
  private let packets = [
    [UInt8](address: "/a", []), [UInt8](address: "/bc", [.blob([0xC0, 0xDB, 0xDC, 0xDD])]),
    [UInt8](address: "/d", [.float(1)]),
  ]

  private func cut(
    _ stream: [UInt8], pieces: Int, into framing: inout StreamFraming
  ) -> (packets: [[UInt8]], isWhole: Bool) {
    var result: [[UInt8]] = []
    var start = 0
    while start < stream.count {
      let end = min(start + pieces, stream.count)
      let isWhole = stream[start..<end].withUnsafeBytes { bytes in
        framing.take(bytes) { result.append(Array($0)) }
      }
      if !isWhole { return (result, false) }
      start = end
    }
    return (result, true)
  }

  @Test(arguments: [StreamFraming.Style.lengthPrefix, .slip], [1, 2, 3, 7, 1000])
  func `packets survive any fragmentation of the stream`(
    style: StreamFraming.Style, pieces: Int
  ) {
    var framing = StreamFraming()
    let stream = packets.flatMap { StreamFraming.frame($0, style) }
    let (result, isWhole) = cut(stream, pieces: pieces, into: &framing)
    #expect(isWhole)
    #expect(result == packets)
    #expect(framing.style == style)
    #expect(!framing.isInsidePacket)
  }

  @Test func `reports an incomplete packet`() {
    var framing = StreamFraming()
    _ = cut(
      Array(StreamFraming.frame(packets[0], .lengthPrefix).dropLast()), pieces: 100, into: &framing)
    #expect(framing.isInsidePacket)
  }

  @Test func `invalid lengths and escapes end the stream`() {
    var prefixed = StreamFraming()
    #expect(!cut([0x7F, 0, 0, 0, 1], pieces: 5, into: &prefixed).isWhole)
    var slip = StreamFraming()
    #expect(!cut([0xC0, 0xDB, 0x01], pieces: 3, into: &slip).isWhole)
    var endless = StreamFraming()
    let long = [0xC0] + [UInt8](repeating: 1, count: StreamFraming.longestPacket + 1)
    #expect(!cut(long, pieces: 4096, into: &endless).isWhole)
  }
}
