/// A WebSocket frame, as the client sees it.
package struct WebFrame {
  /// The opcode: 1 is text, 2 is binary, 8 is close, 9 and 10 are ping and pong.
  package let code: UInt8
  /// The payload.
  package let bytes: [UInt8]

  /// Encodes a client's frame: masked, unless it should be invalid.
  package static func sent(
    _ code: UInt8, _ bytes: [UInt8], isMasked: Bool = true, isLast: Bool = true
  ) -> [UInt8] {
    var frame: [UInt8] = [(isLast ? 0x80 : 0) | code]
    let masked: UInt8 = isMasked ? 0x80 : 0
    switch bytes.count {
    case ..<126: frame.append(masked | UInt8(bytes.count))
    case ..<65_536:
      frame.append(masked | 126)
      frame += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
    default:
      frame.append(masked | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8(truncatingIfNeeded: bytes.count >> shift))
      }
    }
    guard isMasked else { return frame + bytes }
    let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    return frame + mask + bytes.enumerated().map { $1 ^ mask[$0 & 3] }
  }

  /// Takes the complete frames from received data.
  package static func take(from received: inout [UInt8]) -> [WebFrame] {
    var frames: [WebFrame] = []
    while received.count >= 2 {
      var (start, count) = (2, Int(received[1] & 127))
      if count == 126, received.count >= 4 {
        (start, count) = (4, Int(received[2]) << 8 | Int(received[3]))
      } else if count == 127, received.count >= 10 {
        (start, count) = (10, received[2..<10].reduce(0) { $0 << 8 | Int($1) })
      }
      guard received.count >= start + count else { break }
      frames.append(WebFrame(code: received[0] & 15, bytes: Array(received[start..<start + count])))
      received.removeFirst(start + count)
    }
    return frames
  }
}
