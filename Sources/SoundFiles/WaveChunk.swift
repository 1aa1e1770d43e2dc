/// A piece of a WAV file: four letters, a length, and so many bytes.
package struct WaveChunk {
  /// The bytes of a chunk's head.
  package static let headBytes = 8

  package let name: String
  /// The place of its head in the file, in bytes.
  package let start: Int
  /// The bytes after its head.
  package let count: Int

  package init(name: String, start: Int, count: Int) {
    self.name = name
    self.start = start
    self.count = count
  }

  package var content: Int { start + Self.headBytes }
  /// The place of the next chunk, which is even.
  var end: Int { content + count + count % 2 }

  /// A chunk as it stands in a file.
  static func bytes(_ name: String, _ content: [UInt8]) -> [UInt8] {
    var bytes = Array(name.utf8) + number(UInt32(content.count)) + content
    if bytes.count % 2 == 1 { bytes.append(0) }
    return bytes
  }

  /// A number with its lowest byte first.
  package static func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  /// The number that stands at a place.
  package static func number<Number: FixedWidthInteger>(
    _ bytes: some Collection<UInt8>, at place: Int
  ) -> Number {
    bytes.dropFirst(place).prefix(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number($1) }
  }
}

/// The beginning of a WAV file of ours, which tells how long it is.
///
/// After the file's own head stands a chunk with nothing in it, which becomes `ds64` when 32 bits
/// don't hold the lengths any more: the file is RF64 then (EBU Tech 3306). All of it is in the
/// first 512 bytes, which a disk writes at once.
package struct WaveHead {
  static let reserve = 28
  static let size = 12 + WaveChunk.headBytes + reserve
  package static let longest = Int(UInt32.max)
  /// The length that says that the true one stands in `ds64`.
  static let elsewhere = UInt32.max

  static func isLong(end: Int, longest: Int) -> Bool { end - WaveChunk.headBytes > longest }

  /// The bytes at the beginning of a file that ends at a place.
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
