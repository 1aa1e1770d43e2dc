package import DSP

/// A block of a stereo sound, which an effect under test processes in place.
package struct SoundBlock {
  /// Both sides, from the block's first frame on.
  package let sound: Stereo
  /// The offset of the block in the whole sound, in frames.
  package let start: Int
  /// The length in frames.
  package let frames: Int

  /// The peak magnitude of both sides.
  package var peak: Float {
    max(
      Magnitude(sound.left, frames: frames).peak, Magnitude(sound.right, frames: frames).peak)
  }

  /// Whether all samples are 0.
  package var isSilent: Bool {
    (0..<frames).allSatisfy { sound.left[$0] == 0 && sound.right[$0] == 0 }
  }
}

/// Passes both sides of a sound, which have the same length, in the form that effects take.
package func withStereo<Result>(
  _ left: inout [Float], _ right: inout [Float], _ body: (Stereo) throws -> Result
) rethrows -> Result {
  precondition(left.count == right.count, "both sides have the same length")
  return try left.withUnsafeMutableBufferPointer { left in
    try right.withUnsafeMutableBufferPointer { right in
      try body(Stereo(left.baseAddress!, right.baseAddress!))
    }
  }
}

/// Splits a sound into blocks of `size` frames, the last of which may be shorter, and passes them
/// in order.
package func inBlocks(
  of size: Int, _ left: inout [Float], _ right: inout [Float],
  _ body: (SoundBlock) throws -> Void
) rethrows {
  guard !left.isEmpty else { return }
  let count = left.count
  try withStereo(&left, &right) { sound in
    for start in stride(from: 0, to: count, by: size) {
      try body(
        SoundBlock(
          sound: sound.advanced(by: start), start: start, frames: min(size, count - start)))
    }
  }
}
