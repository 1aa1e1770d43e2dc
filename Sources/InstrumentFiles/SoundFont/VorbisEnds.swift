internal import SoundFiles

/// The length and sample rate of an Ogg Vorbis stream, read from its first and last pages.
///
/// A decoder sets up its tables first, which takes a hundred times as long. An instrument has
/// hundreds of such streams.
struct VorbisEnds {
  // An Ogg page consists of a fixed header, the segment table, and at most this many bytes in all.
  private static let headBytes = 27
  private static let mostPageBytes = 65_307
  private static let usualPageBytes = 8192

  let frames: Int
  let rate: Int

  /// Reads `bytes` bytes of a file from the offset `place`.
  ///
  /// Returns nil if the layout is unusual.
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

  /// The index of the first packet of a page at the beginning of `bytes`, or nil if no page begins
  /// there.
  private static func packet(ofPage bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= headBytes, bytes.prefix(4).elementsEqual("OggS".utf8),
      bytes[bytes.startIndex + 4] == 0
    else { return nil }
    return bytes.startIndex + headBytes + Int(bytes[bytes.startIndex + 26])
  }

  /// The granule position of the stream's last page in `bytes`.
  private static func lastFrame(_ bytes: [UInt8], serial: ArraySlice<UInt8>) -> Int? {
    var place = bytes.count - headBytes
    while place >= 0 {
      if bytes[place] == UInt8(ascii: "O"), packet(ofPage: bytes[place...]) != nil,
        bytes[place + 14..<place + 18].elementsEqual(serial)
      {
        let low = Int(WaveChunk.number(bytes, at: place + 6) as UInt32)
        let high = Int(WaveChunk.number(bytes, at: place + 10) as UInt32)
        // A page on which no packet ends has a granule position of -1.
        if high < 1 << 20 { return high << 32 | low }
      }
      place -= 1
    }
    return nil
  }
}
