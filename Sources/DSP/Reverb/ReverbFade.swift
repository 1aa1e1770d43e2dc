/// One chunk of a crossfade between two taps, with an S-shaped curve.
///
/// Two positions in a reverb's delay lines are almost uncorrelated, so the crossfade has equal
/// power.
struct ReverbFade: BitwiseCopyable {
  // Progress at the first frame, and its increment per frame.
  private let start: Float
  private let step: Float

  /// Creates the part of a fade of `chunks` chunks that follows `done` of them.
  @_noLocks
  init(done: Int, of chunks: Int) {
    start = Float(done) / Float(chunks)
    step = 1 / Float(chunks &* ReverbClock.chunk)
  }

  /// Returns the progress of four frames, with zero slope at both ends of the fade.
  @_noLocks
  func progress(_ frame: Int) -> SIMD4<Float> {
    let time = start + step * (SIMD4<Float>(0, 1, 2, 3) + Float(frame))
    return time * time * (3 - 2 * time)
  }

  /// sin(pi x / 2), accurate to 2e-4, exactly 0 and 1 at the ends.
  @_noLocks
  private func quarterSine(_ x: SIMD4<Float>) -> SIMD4<Float> {
    let square = x * x
    return x * (1.570_79 - square * (0.643_20 - square * 0.072_41))
  }

  /// Writes one chunk of a crossfade from `old` to `new`.
  ///
  /// In a feedback loop (`isLoop`) the crossfade loses more power than needed. Otherwise correlated
  /// signals would gain level at each fade, lines that grow would read some samples twice, and
  /// endless changes of size would make the tail grow.
  @_noLocks
  func mix(
    from old: UnsafePointer<Float>, to new: UnsafePointer<Float>,
    _ result: UnsafeMutablePointer<Float>, isLoop: Bool = false
  ) {
    var frame = 0
    while frame < ReverbClock.chunk {
      let progress = progress(frame)
      let (before, after) = (old.four(at: frame), new.four(at: frame))
      let sum =
        isLoop
        ? (before + (after - before) * progress) * (1 - 2 * progress * (1 - progress))
        : before * quarterSine(1 - progress) + after * quarterSine(progress)
      result.setFour(at: frame, sum)
      frame &+= 4
    }
  }

  /// Multiplies a chunk by the fade's progress, or by its complement.
  @_noLocks
  func scale(_ samples: UnsafeMutablePointer<Float>, out: Bool) {
    var frame = 0
    while frame < ReverbClock.chunk {
      let progress = progress(frame)
      samples.setFour(at: frame, samples.four(at: frame) * (out ? 1 - progress : progress))
      frame &+= 4
    }
  }
}
