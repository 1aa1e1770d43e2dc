/// A chunk of a crossfade between two places of the same sound, without a corner.
///
/// Two places in a reverb's lines hold sound that is hardly related, so their powers add up to
/// what one has.
struct ReverbFade: BitwiseCopyable {
  // Progress at the first frame, and how much each frame adds.
  private let start: Float
  private let step: Float

  /// The part of a fade of `chunks` chunks that begins after `done` of them.
  @_noLocks
  init(done: Int, of chunks: Int) {
    start = Float(done) / Float(chunks)
    step = 1 / Float(chunks &* ReverbClock.chunk)
  }

  /// The progress of four frames, eased so that it has no corner at either end.
  @_noLocks
  func progress(_ frame: Int) -> SIMD4<Float> {
    let time = start + step * (SIMD4<Float>(0, 1, 2, 3) + Float(frame))
    return time * time * (3 - 2 * time)
  }

  /// sin(pi / 2 x) to 2e-4, exactly 0 and 1 at the ends.
  @_noLocks
  private func quarterSine(_ x: SIMD4<Float>) -> SIMD4<Float> {
    let square = x * x
    return x * (1.570_79 - square * (0.643_20 - square * 0.072_41))
  }

  /// Writes a chunk that goes from one sound to another.
  ///
  /// Within a loop it loses more than it must: sounds that are alike would else be louder at
  /// each fade, and what is read once more when a line becomes longer would add to that, until
  /// a size that is moved to and fro for ever made a tail grow.
  @_noLocks
  func mix(
    from old: UnsafeRawPointer, to new: UnsafeRawPointer, _ result: UnsafeMutablePointer<Float>,
    isLoop: Bool = false
  ) {
    let result = UnsafeMutableRawPointer(result)
    var frame = 0
    while frame < ReverbClock.chunk {
      let progress = progress(frame)
      let before = old.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD4<Float>.self)
      let after = new.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD4<Float>.self)
      let sum =
        isLoop
        ? (before + (after - before) * progress) * (1 - 2 * progress * (1 - progress))
        : before * quarterSine(1 - progress) + after * quarterSine(progress)
      result.storeBytes(of: sum, toByteOffset: frame &* 4, as: SIMD4<Float>.self)
      frame &+= 4
    }
  }

  /// Multiplies a chunk by the progress, or by what is left of it.
  @_noLocks
  func scale(_ samples: UnsafeMutablePointer<Float>, out: Bool) {
    let samples = UnsafeMutableRawPointer(samples)
    var frame = 0
    while frame < ReverbClock.chunk {
      let progress = progress(frame)
      let sound = samples.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD4<Float>.self)
      samples.storeBytes(
        of: sound * (out ? 1 - progress : progress), toByteOffset: frame &* 4,
        as: SIMD4<Float>.self)
      frame &+= 4
    }
  }
}
