package import DSP

/// The serialized frames after the end of a clip, which its crossfade needs.
///
/// Stored in the take's file.
package enum LoopTail {
  // The format version and the number of frames.
  private static let headBytes = 8
  private static let form: UInt32 = 1
  private static let frameBytes = 8

  /// Serializes frames losslessly, in little-endian byte order.
  package static func bytes(_ sound: Stereo, frames: Int) -> [UInt8] {
    guard frames > 0 else { return [] }
    var bytes = WaveChunk.number(form) + WaveChunk.number(UInt32(frames))
    for frame in 0..<frames {
      bytes += WaveChunk.number(sound.left[frame].bitPattern)
      bytes += WaveChunk.number(sound.right[frame].bitPattern)
    }
    return bytes
  }

  /// Returns the number of serialized frames, or 0 if the format is unknown.
  package static func frames(in bytes: [UInt8]) -> Int {
    guard bytes.count >= headBytes, WaveChunk.number(bytes, at: 0) == form else { return 0 }
    let frames = Int(WaveChunk.number(bytes, at: 4) as UInt32)
    return bytes.count == headBytes + frames * frameBytes ? frames : 0
  }

  /// Deserializes at most `room` frames, and returns their number.
  package static func read(_ bytes: [UInt8], into sound: Stereo, room: Int) -> Int {
    let frames = min(frames(in: bytes), room)
    for frame in 0..<frames {
      let place = headBytes + frame * frameBytes
      sound.left[frame] = sample(bytes, place)
      sound.right[frame] = sample(bytes, place + 4)
    }
    return frames
  }

  /// Returns a sample.
  ///
  /// NaN and infinity become silence, since the file is untrusted.
  private static func sample(_ bytes: [UInt8], _ place: Int) -> Float {
    let sample = Float(bitPattern: WaveChunk.number(bytes, at: place))
    return sample.isFinite ? sample : 0
  }
}
