internal import DSP
internal import SoundFiles

/// The sound of a take, for display and analysis.
package enum TakeSound {
  /// Reads the channels of a file, up to `seconds`, and its sample rate in Hz.
  package static func read(
    _ path: String, atMost seconds: Double
  ) throws(LibraryFault) -> (channels: [[Float]], rate: Int) {
    try asLibrary { () throws(SoundFileError) in
      var reader = try SoundReader(path)
      var channels: [[Float]] = [[], []]
      try reader.readBlocks(atMost: Int(seconds * Double(reader.rate))) { sound, frames in
        channels[0] += UnsafeBufferPointer(start: sound.left, count: frames)
        channels[1] += UnsafeBufferPointer(start: sound.right, count: frames)
      }
      return (channels, reader.rate)
    }
  }
}
