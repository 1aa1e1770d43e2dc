/// All that stands before the sound in a stereo WAV file of ours.
struct WaveForm {
  let isFloat: Bool
  let frameBytes: Int
  let dataStart: Int
  private let format: [UInt8]
  private let tags: [UInt8]
  private let longest: Int

  /// The form of a file that begins with tags, if there are any.
  init(rate: Int, isFloat: Bool, tags: [UInt8], longest: Int) {
    self.isFloat = isFloat
    self.tags = tags
    self.longest = longest
    frameBytes = isFloat ? 8 : 6
    var fields = WaveChunk.number(UInt16(isFloat ? 3 : 1)) + WaveChunk.number(UInt16(2))
    fields += WaveChunk.number(UInt32(rate)) + WaveChunk.number(UInt32(rate * frameBytes))
    fields += WaveChunk.number(UInt16(frameBytes)) + WaveChunk.number(UInt16(isFloat ? 32 : 24))
    // Formats other than plain integers tell how much more there is to say of them: nothing.
    if isFloat { fields += [0, 0] }
    format = WaveChunk.bytes("fmt ", fields)
    dataStart =
      WaveHead.size + format.count + (isFloat ? 12 : 0) + tags.count + WaveChunk.headBytes
  }

  /// The bytes of it in a file whose sound ends at a place, with so many bytes of tags behind.
  func head(dataEnd: Int, tagBytes: Int = 0) -> [UInt8] {
    let (end, count) = (dataEnd + tagBytes, dataEnd - dataStart)
    let frames = count / frameBytes
    var bytes = WaveHead.bytes(end: end, dataCount: count, frames: frames, longest: longest)
    bytes += format
    // Of a format other than integers the frames are counted.
    if isFloat { bytes += WaveChunk.bytes("fact", WaveChunk.number(UInt32(clamping: frames))) }
    if tagBytes > 0, !tags.isEmpty {
      // Those behind count: the same room, with nothing in it.
      bytes += WaveChunk.bytes(
        WaveTags.emptyName, [UInt8](repeating: 0, count: tags.count - WaveChunk.headBytes))
    } else {
      bytes += tags
    }
    let isLong = WaveHead.isLong(end: end, longest: longest)
    return bytes + Array("data".utf8)
      + WaveChunk.number(isLong ? WaveHead.elsewhere : UInt32(count))
  }
}
