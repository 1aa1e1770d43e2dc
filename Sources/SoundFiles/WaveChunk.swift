/// A RIFF chunk: a four-letter name, a length, and the content.
package struct WaveChunk {
  /// The number of bytes in a chunk header.
  package static let headBytes = 8

  package let name: String
  /// The offset of its header in the file.
  package let start: Int
  /// The length of its content in bytes.
  package let count: Int

  package init(name: String, start: Int, count: Int) {
    self.name = name
    self.start = start
    self.count = count
  }

  package var content: Int { start + Self.headBytes }
  /// The offset of the next chunk, which is even.
  var end: Int { content + count + count % 2 }

  /// Serializes a chunk.
  static func bytes(_ name: String, _ content: [UInt8]) -> [UInt8] {
    var bytes = Array(name.utf8) + number(UInt32(content.count)) + content
    if bytes.count % 2 == 1 { bytes.append(0) }
    return bytes
  }

  /// Serializes an integer in little-endian byte order.
  package static func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  /// Parses a little-endian integer at an offset.
  package static func number<Number: FixedWidthInteger>(
    _ bytes: some Collection<UInt8>, at place: Int
  ) -> Number {
    bytes.dropFirst(place).prefix(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number($1) }
  }
}

/// The header of a WAV file written by Syrinx, with its lengths.
///
/// A reserved `JUNK` chunk follows the RIFF header. It becomes `ds64` when the lengths exceed 32
/// bits, which makes the file RF64 (EBU Tech 3306). All of it is in the first 512 bytes, which a
/// disk writes atomically.
package struct WaveHead {
  static let reserve = 28
  static let size = 12 + WaveChunk.headBytes + reserve
  package static let longest = Int(UInt32.max)
  /// The placeholder for a length that is stored in `ds64`.
  static let elsewhere = UInt32.max

  static func isLong(end: Int, longest: Int) -> Bool { end - WaveChunk.headBytes > longest }

  /// Serializes the header of a file that ends at the offset `end`.
  static func bytes(end: Int, dataCount: Int, frames: Int, longest: Int) -> [UInt8] {
    let size = end - WaveChunk.headBytes
    guard isLong(end: end, longest: longest) else {
      return Array("RIFF".utf8) + WaveChunk.number(UInt32(size)) + Array("WAVE".utf8)
        + WaveChunk.bytes("JUNK", [UInt8](repeating: 0, count: reserve))
    }
    return Array("RF64".utf8) + WaveChunk.number(elsewhere) + Array("WAVE".utf8)
      + WaveChunk.bytes(
        "ds64",
        WaveChunk.number(UInt64(size)) + WaveChunk.number(UInt64(dataCount))
          + WaveChunk.number(UInt64(frames)) + WaveChunk.number(UInt32(0)))
  }
}
