internal import SoundFiles

/// What the first and the last page of an Ogg Vorbis file tell of the sound between them.
///
/// A decoder reads its tables first, which takes a hundred times as long; an instrument has hundreds
/// of such files.
struct VorbisEnds {
  // A page has a head, a length for each of its segments, and so many bytes at most.
  private static let headBytes = 27
  private static let mostPageBytes = 65_307
  private static let usualPageBytes = 8192

  let frames: Int
  let rate: Int

  /// Looks at so many bytes of a file from a place on; nil where they are not as they usually are.
  init?(_ file: borrowing WaveFile, place: Int, bytes: Int) throws(SoundFileError) {
    let head = try file.read(min(bytes, 512), at: place)
    guard let packet = Self.packet(ofPage: head[...]), packet + 16 <= head.count,
      head[packet..<packet + 7].elementsEqual([1] + Array("vorbis".utf8))
    else { return nil }
    rate = Int(WaveChunk.number(head, at: packet + 12) as UInt32)
    var found: Int?
    for count in [Self.usualPageBytes, Self.mostPageBytes] where found == nil {
      let count = min(bytes, count)
      let tail = try file.read(count, at: place + bytes - count)
      found = Self.lastFrame(tail, serial: head[14..<18])
    }
    guard let found, (1...InstrumentSample.mostFrames).contains(found),
      (1...1_000_000).contains(rate)
    else { return nil }
    frames = found
  }

  /// The place of the packet of the page that bytes begin with; nil where they begin with none.
  private static func packet(ofPage bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= headBytes, bytes.prefix(4).elementsEqual("OggS".utf8),
      bytes[bytes.startIndex + 4] == 0
    else { return nil }
    return bytes.startIndex + headBytes + Int(bytes[bytes.startIndex + 26])
  }

  /// The frame at which the last page ends that bytes have of a stream.
  private static func lastFrame(_ bytes: [UInt8], serial: ArraySlice<UInt8>) -> Int? {
    var place = bytes.count - headBytes
    while place >= 0 {
      if bytes[place] == UInt8(ascii: "O"), packet(ofPage: bytes[place...]) != nil,
        bytes[place + 14..<place + 18].elementsEqual(serial)
      {
        let low = Int(WaveChunk.number(bytes, at: place + 6) as UInt32)
        let high = Int(WaveChunk.number(bytes, at: place + 10) as UInt32)
        // No packet ends on a page where all bits are set.
        if high < 1 << 20 { return high << 32 | low }
      }
      place -= 1
    }
    return nil
  }
}
