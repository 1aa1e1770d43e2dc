internal import DSP
package import SoundFiles

/// WAV files for tests, made by the writer under test.
package enum WaveFixture {
  /// Writes a WAV file in blocks.
  package static func write(
    _ path: String, _ left: [Float], _ right: [Float]? = nil, rate: Int = 48_000,
    isFine: Bool = true, block: Int = 1000, tags: WaveTags? = nil
  ) throws(SoundFileError) {
    var writer = try WaveWriter(path, rate: rate, isFine: isFine)
    try append(left, right, block: block, to: &writer)
    try writer.finish(tags: tags)
  }

  /// Appends sound to a writer in blocks.
  package static func append(
    _ left: [Float], _ right: [Float]? = nil, block: Int = 1000, to writer: inout WaveWriter
  ) throws(SoundFileError) {
    let right = right ?? left
    let buffer = StereoBuffer(frames: block)
    for start in stride(from: 0, to: left.count, by: block) {
      let frames = min(block, left.count - start)
      for frame in 0..<frames {
        buffer.stereo.left[frame] = left[start + frame]
        buffer.stereo.right[frame] = right[start + frame]
      }
      try writer.append(buffer.stereo, frames: frames)
    }
  }
}
