internal import DSP

extension Stereo {
  /// Allocates a silent block, both sides in one piece.
  static func silent(frames: Int) -> Stereo {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 2 * frames)
    samples.initialize(repeating: 0, count: 2 * frames)
    return Stereo(samples, samples + frames)
  }

  /// Frees a block that `silent` allocated.
  func deallocate() { left.deallocate() }

  /// Silences a block.
  @_noLocks
  func clear(frames: Int) {
    Blocks.clear(left, frames: frames)
    Blocks.clear(right, frames: frames)
  }

  /// Whether all samples are 0.
  @_noLocks
  func isSilent(frames: Int) -> Bool {
    Magnitude(left, frames: frames).bits == 0 && Magnitude(right, frames: frames).bits == 0
  }
}
