/// The header of a WAV file written by Syrinx, up to the sound.
struct WaveForm {
  let isFloat: Bool
  let channels: Int
  let frameBytes: Int
  let dataStart: Int
  private let format: [UInt8]
  private let tags: [UInt8]
  private let lasting: [UInt8]
  private let longest: Int

  /// Creates the header of a file, with optional `tags` before the sound, and `lasting` chunks.
  ///
  /// Tags at the end of the file replace those before the sound; the `lasting` chunks stay.
  init(
    rate: Int, isFloat: Bool, channels: Int = 2, tags: [UInt8], lasting: [UInt8] = [], longest: Int
  ) {
    self.isFloat = isFloat
    self.channels = channels
    self.lasting = lasting
    self.tags = tags
    self.longest = longest
    frameBytes = channels * (isFloat ? 4 : 3)
    var fields = WaveChunk.number(UInt16(isFloat ? 3 : 1)) + WaveChunk.number(UInt16(channels))
    fields += WaveChunk.number(UInt32(rate)) + WaveChunk.number(UInt32(rate * frameBytes))
    fields += WaveChunk.number(UInt16(frameBytes)) + WaveChunk.number(UInt16(isFloat ? 32 : 24))
    // Formats other than plain integers have an extension size field: 0.
    if isFloat { fields += [0, 0] }
    format = WaveChunk.bytes("fmt ", fields)
    dataStart =
      WaveHead.size + format.count + (isFloat ? 12 : 0) + lasting.count + tags.count
      + WaveChunk.headBytes
  }

  /// Serializes the header of a file whose sound ends at the offset `dataEnd`, followed by
  /// `tagBytes` bytes of tags.
  func head(dataEnd: Int, tagBytes: Int = 0) -> [UInt8] {
    let (end, count) = (dataEnd + tagBytes, dataEnd - dataStart)
    let frames = count / frameBytes
    var bytes = WaveHead.bytes(end: end, dataCount: count, frames: frames, longest: longest)
    bytes += format
    // Formats other than integers need a `fact` chunk with the number of frames.
    if isFloat { bytes += WaveChunk.bytes("fact", WaveChunk.number(UInt32(clamping: frames))) }
    bytes += lasting
    if tagBytes > 0, !tags.isEmpty {
      // The tags at the end replace those at the beginning, which become padding of the same size.
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
