internal import DSP

/// The master section: output gain, mute, the guard against NaN, and the limiter.
struct Master: BitwiseCopyable {
  private var gain: Fader
  private var open: Fader
  private var limiter: Limiter
  // The signal that is added after the first limiter needs its own.
  private var lastLimiter: Limiter

  /// The levels of a block.
  typealias Finding = (leftPeak: Float, rightPeak: Float, nonFinite: Int, limiterGain: Float)

  @_noLocks
  init(sampleRate: Float) {
    gain = Fader(at: 1, sampleRate: sampleRate)
    open = Fader(at: 1, sampleRate: sampleRate)
    limiter = Limiter(sampleRate: sampleRate)
    lastLimiter = Limiter(sampleRate: sampleRate)
  }

  @_noLocks
  mutating func setSampleRate(_ rate: Float) {
    gain.setSampleRate(rate)
    open.setSampleRate(rate)
    limiter.setSampleRate(rate)
    lastLimiter.setSampleRate(rate)
  }

  @_noLocks
  mutating func setGain(_ linear: Float) { gain.move(to: linear) }

  @_noLocks
  mutating func setMute(_ mute: Bool) { open.move(to: mute ? 0 : 1) }

  /// Whether everything has reached its target.
  var isResting: Bool {
    @_noLocks get {
      gain.isResting && open.isResting && limiter.currentGain == 1 && !isLimitingLast
    }
  }

  /// The gain of the output while it rests, at least 1.
  var restingGain: Float { @_noLocks get { max(1, gain.target) } }

  /// Whether gain and mute, which rest, leave the sum unchanged.
  var passes: Bool { @_noLocks get { gain.target == 1 && open.target == 1 } }

  /// Applies gain and mute, which rest, to a sum in place.
  @_noLocks
  mutating func applyResting(to out: Stereo, frames: Int, scratch: UnsafeMutablePointer<Float>) {
    gain.apply(to: out, frames: frames, scratch: scratch)
    open.apply(to: out, frames: frames, scratch: scratch)
  }

  /// Whether the limiter of the added signal still reduces the gain.
  var isLimitingLast: Bool { @_noLocks get { lastLimiter.currentGain != 1 } }

  /// Gain and mute, for a signal that is added afterwards; to be copied before `process`.
  var fades: Fades { @_noLocks get { Fades(gain: gain, open: open) } }

  /// The fades of the output's gain and mute over a block.
  struct Fades: BitwiseCopyable {
    fileprivate var gain: Fader
    fileprivate var open: Fader

    @_noLocks
    mutating func apply(
      to samples: UnsafeMutablePointer<Float>, frames: Int, scratch: UnsafeMutablePointer<Float>
    ) {
      gain.apply(to: samples, frames: frames, scratch: scratch)
      open.apply(to: samples, frames: frames, scratch: scratch)
    }
  }

  /// Adds a signal that only captures record to both sides of the output of `process`.
  @_noLocks
  mutating func addLast(
    _ samples: UnsafePointer<Float>, to out: Stereo, frames: Int
  ) -> Finding {
    Blocks.add(samples, times: 1, to: out.left, frames: frames)
    Blocks.add(samples, times: 1, to: out.right, frames: frames)
    let peak = max(
      Magnitude(out.left, frames: frames).peak, Magnitude(out.right, frames: frames).peak)
    lastLimiter.process(out.left, out.right, frames: frames, peak: peak)
    return (
      Magnitude(out.left, frames: frames).peak, Magnitude(out.right, frames: frames).peak, 0,
      lastLimiter.currentGain
    )
  }

  /// Sets gain and mute at once, before the first block.
  @_noLocks
  mutating func settle() {
    gain.settle()
    open.settle()
  }

  /// Advances over a silent block.
  ///
  /// Returns the limiter's gain.
  @_noLocks
  mutating func rest(_ silence: Stereo, frames: Int) -> Float {
    gain.skip(frames: frames)
    open.skip(frames: frames)
    limiter.process(silence.left, silence.right, frames: frames, peak: 0)
    return limiter.currentGain
  }

  @_noLocks
  mutating func process(
    _ out: Stereo, frames: Int, scratch: UnsafeMutablePointer<Float>
  ) -> Finding {
    gain.apply(to: out, frames: frames, scratch: scratch)
    open.apply(to: out, frames: frames, scratch: scratch)
    var nonFinite = 0
    var left = Magnitude(out.left, frames: frames)
    var right = Magnitude(out.right, frames: frames)
    if !left.isFinite || !right.isFinite {
      nonFinite = out.silenceNonFinite(frames: frames)
      left = Magnitude(out.left, frames: frames)
      right = Magnitude(out.right, frames: frames)
    }
    let wasLimiting = limiter.currentGain != 1
    limiter.process(
      out.left, out.right, frames: frames, peak: max(left.peak, right.peak))
    if wasLimiting || limiter.currentGain != 1 {
      left = Magnitude(out.left, frames: frames)
      right = Magnitude(out.right, frames: frames)
    }
    return (left.peak, right.peak, nonFinite, limiter.currentGain)
  }
}
