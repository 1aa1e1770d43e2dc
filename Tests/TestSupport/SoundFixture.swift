internal import CSndfile
internal import DSP
package import SoundFiles

/// Sound files for tests: reads and writes them.
package enum SoundFixture {
  /// The sample format of a fixture.
  package enum Samples: Sendable {
    case integer16, integer24, float32
  }

  /// Writes a WAV file with any number of channels, through libsndfile alone.
  package static func write(
    _ path: String, _ channels: [[Float]], rate: Int = 48_000, samples: Samples = .float32,
    title: String? = nil, artist: String? = nil
  ) throws {
    var info = SF_INFO()
    info.samplerate = Int32(rate)
    info.channels = Int32(channels.count)
    let code =
      switch samples {
      case .integer16: SF_FORMAT_PCM_16
      case .integer24: SF_FORMAT_PCM_24
      case .float32: SF_FORMAT_FLOAT
      }
    info.format = Int32(SF_FORMAT_WAV | code)
    guard let file = sf_open(path, Int32(SFM_WRITE), &info) else { throw Fault("can't write") }
    if let title { sf_set_string(file, Int32(SF_STR_TITLE), title) }
    if let artist { sf_set_string(file, Int32(SF_STR_ARTIST), artist) }
    // Exact only for samples that the format's bits can represent.
    sf_command(file, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
    let interleaved = channels[0].indices.flatMap { frame in channels.map { $0[frame] } }
    sf_writef_float(file, interleaved, sf_count_t(channels[0].count))
    sf_close(file)
  }

  /// Writes a stereo file through the writer under test.
  package static func write(
    _ path: String, left: [Float], right: [Float]? = nil, rate: Int = 48_000, isFine: Bool = true,
    block: Int = 1000
  ) throws(SoundFileError) {
    var writer = try SoundWriter(path, rate: rate, isFine: isFine)
    try write(left, right ?? left, to: &writer, block: block)
    try writer.finish()
  }

  /// Writes sound to a writer, in blocks.
  package static func write(
    _ left: [Float], _ right: [Float], to writer: inout SoundWriter, block: Int = 1000
  ) throws(SoundFileError) {
    let buffer = StereoBuffer(frames: block)
    var start = 0
    while start < left.count {
      let frames = min(block, left.count - start)
      for frame in 0..<frames {
        buffer.stereo.left[frame] = left[start + frame]
        buffer.stereo.right[frame] = right[start + frame]
      }
      try writer.write(buffer.stereo, frames: frames)
      start += frames
    }
  }

  /// Reads a whole file through the reader under test, in blocks.
  package static func read(
    _ path: String, rate: Int? = nil, block: Int = 1000
  ) throws(SoundFileError) -> (left: [Float], right: [Float], rate: Int) {
    var reader = try SoundReader(path) { rate ?? $0 }
    let sound = try read(&reader, block: block)
    return (sound.left, sound.right, reader.fileRate)
  }

  /// Reads the rest of a file, in blocks.
  package static func read(
    _ reader: inout SoundReader, block: Int = 1000
  ) throws(SoundFileError) -> (left: [Float], right: [Float]) {
    let buffer = StereoBuffer(frames: block)
    var (left, right): ([Float], [Float]) = ([], [])
    while true {
      let count = try reader.read(into: buffer.stereo, frames: block)
      left += UnsafeBufferPointer(start: buffer.stereo.left, count: count)
      right += UnsafeBufferPointer(start: buffer.stereo.right, count: count)
      if count < block { return (left, right) }
    }
  }
}
