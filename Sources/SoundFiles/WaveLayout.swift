/// The layout of a WAV file: the positions of its sound and its chunks.
///
/// All declared positions are validated. Only the sound may be shorter than declared, as in a
/// truncated file.
package struct WaveLayout: Sendable {
  // More than any program writes. A file of empty chunks only would take hours to read.
  private static let mostChunks = 10_000

  /// The sample rate in Hz.
  package let rate: Int
  package let channels: Int
  /// Whether its samples are floating point.
  package let isFloat: Bool
  /// The number of frames present.
  package var frames: Int { dataCount / frameBytes }

  package let chunks: [WaveChunk]
  let frameBytes: Int
  /// The offset of the sound in the file.
  let dataStart: Int
  /// The number of bytes of sound present.
  let dataCount: Int
  /// The number of bytes of sound declared.
  let promisedCount: Int
  /// The end of the last chunk within the declared length, as an offset.
  let end: Int
  /// The actual length of the file in bytes.
  let length: Int
  /// Whether the lengths have 64 bits.
  let isLong: Bool
  /// Whether there is space reserved for 64-bit lengths.
  let hasReserve: Bool

  /// Reads the layout of the file at a path.
  package init(_ path: String) throws(SoundFileError) {
    try self.init(WaveFile(path, to: .read))
  }

  package init(_ file: borrowing WaveFile) throws(SoundFileError) {
    length = file.length
    let head = try file.read(12, at: 0)
    let name = String(decoding: head.prefix(4), as: UTF8.self)
    guard head.count == 12, name == "RIFF" || name == "RF64",
      String(decoding: head[8...], as: UTF8.self) == "WAVE"
    else { throw SoundFileError(.notSound, "\(file.path) is not a WAV file") }
    isLong = name == "RF64"
    let long = isLong ? try Self.longCounts(file) : nil
    let size = Int(WaveChunk.number(head, at: 4) as UInt32)
    let promisedEnd = WaveChunk.headBytes + (long?.size ?? size)
    (chunks, promisedCount) = try Self.chunks(
      file, until: min(promisedEnd, length), length: length, longData: long?.data)
    guard let format = chunks.first(where: { $0.name == "fmt " }), format.count >= 16,
      let data = chunks.first(where: { $0.name == "data" })
    else {
      throw SoundFileError(
        .notSound, "\(file.path) is invalid: it has no sound, or no format")
    }
    hasReserve =
      chunks[0].count == WaveHead.reserve && (chunks[0].name == "JUNK" || isLong)
    end = chunks[chunks.count - 1].end
    (dataStart, dataCount) = (data.content, data.count)

    let fields = try file.read(min(format.count, 40), at: format.content)
    var code = WaveChunk.number(fields, at: 0) as UInt16
    // WAVE_FORMAT_EXTENSIBLE: the actual format code is at the beginning of the subformat field.
    if code == 0xFFFE, fields.count >= 26 { code = WaveChunk.number(fields, at: 24) }
    isFloat = code == 3
    channels = Int(WaveChunk.number(fields, at: 2) as UInt16)
    rate = Int(WaveChunk.number(fields, at: 4) as UInt32)
    frameBytes = Int(WaveChunk.number(fields, at: 12) as UInt16)
    guard channels > 0, rate > 0, rate <= 10_000_000, frameBytes > 0 else {
      throw SoundFileError(.notSound, "\(file.path) is invalid: it has no rate or no channels")
    }
  }

  /// Whether the sound is the last chunk, as during recording.
  var endsWithSound: Bool { chunks[chunks.count - 1].name == "data" }

  private static func longCounts(
    _ file: borrowing WaveFile
  ) throws(SoundFileError) -> (size: Int, data: Int) {
    let bytes = try file.read(WaveHead.size, at: 0)
    let size = Int(clamping: WaveChunk.number(bytes, at: 20) as UInt64)
    let data = Int(clamping: WaveChunk.number(bytes, at: 28) as UInt64)
    guard bytes.count == WaveHead.size, String(decoding: bytes[12..<16], as: UTF8.self) == "ds64",
      // Far beyond any file size, and sums still fit.
      size < 1 << 60, data < 1 << 60
    else {
      throw SoundFileError(.notSound, "\(file.path) is invalid: it has no length")
    }
    return (size, data)
  }

  private static func chunks(
    _ file: borrowing WaveFile, until end: Int, length: Int, longData: Int?
  ) throws(SoundFileError) -> (chunks: [WaveChunk], promised: Int) {
    var chunks: [WaveChunk] = []
    var (place, promised) = (12, 0)
    while place + WaveChunk.headBytes <= end {
      let head = try file.read(WaveChunk.headBytes, at: place)
      guard head.count == WaveChunk.headBytes, chunks.count < mostChunks else {
        throw SoundFileError(.notSound, "\(file.path) is invalid: it has too many chunks")
      }
      let name = String(decoding: head.prefix(4), as: UTF8.self)
      let size = WaveChunk.number(head, at: 4) as UInt32
      var count = Int(size)
      let left = length - place - WaveChunk.headBytes
      if name == "data" {
        if let longData, size == WaveHead.elsewhere { count = longData }
        promised = count
        count = min(count, left)
      }
      guard count <= left else {
        throw SoundFileError(
          .notSound,
          "\(file.path) is invalid: at byte \(place) it declares \(count) bytes, but has \(left)")
      }
      chunks.append(WaveChunk(name: name, start: place, count: count))
      place = chunks[chunks.count - 1].end
    }
    return (chunks, promised)
  }
}
