internal import DSP
internal import SoundFiles

/// The sound of a take, for display and analysis.
package enum TakeSound {
  private static let blockFrames = 65_536

  /// Reads the channels of a file, up to `seconds`, and its sample rate in Hz.
  package static func read(
    _ path: String, atMost seconds: Double
  ) throws(LibraryFault) -> (channels: [[Float]], rate: Int) {
    try asLibrary { () throws(SoundFileError) in
      var reader = try SoundReader(path)
      let most = Int(seconds * Double(reader.rate))
      let block = StereoBuffer(frames: blockFrames)
      var channels: [[Float]] = [[], []]
      while channels[0].count < most {
        let count = try reader.read(
          into: block.stereo, frames: min(blockFrames, most - channels[0].count))
        if count == 0 { break }
        channels[0] += UnsafeBufferPointer(start: block.stereo.left, count: count)
        channels[1] += UnsafeBufferPointer(start: block.stereo.right, count: count)
      }
      return (channels, reader.rate)
    }
  }
}
