internal import CRealtime

/// A stereo peak limiter without delay.
///
/// Below the ceiling it changes no bit. A sample above it lowers the gain at once, just so far
/// that this sample meets the ceiling; the gain is then held, so that it doesn't follow the
/// single waves of a low note, and recovers exponentially. Both sides share one gain, which
/// keeps the image in its place. There is no look-ahead, because the delay would be heard by
/// whoever plays: what it costs is a rounded crest on the first wave of an overload.
public struct Limiter: BitwiseCopyable {
  /// The ceiling, linear: -0.1 dBFS, rounded down.
  package static let ceiling: Float = 0.988_553
  // A crest within this share of the ceiling renews the hold: the crests of a steady tone are
  // met by samples a little beside them.
  private static let nearCeiling: Float = 0.968
  private static let holdSeconds: Float = 0.025
  private static let releaseSeconds: Float = 0.15
  // Where the gain is taken for 1 again: less than half a step of 24-bit sound away.
  private static let near: Float = 3e-8

  // The gain is kept as what it lacks to 1, whose small steps would vanish in rounding.
  @usableFromInline var lack: Float = 0
  private var holdFrames: Int32 = 0
  private var holdLength: Int32 = 0
  private var release: Float = 0

  /// A limiter at rest.
  @_noLocks
  package init(sampleRate: Float) {
    setSampleRate(sampleRate)
  }

  /// Keeps its times in seconds when the sample rate changes.
  @_noLocks
  package mutating func setSampleRate(_ rate: Float) {
    holdLength = Int32(Self.holdSeconds * rate)
    release = 1 - rt_exp(-1 / (Self.releaseSeconds * rate))
  }

  /// The gain after the last sample, linear.
  public var currentGain: Float {
    @_noLocks @inlinable get { 1 - lack }
  }

  /// Limits in place; `peak` is the greatest magnitude of both sides.
  @_noLocks
  package mutating func process(
    _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, frames: Int,
    peak: Float
  ) {
    if lack == 0 && peak <= Self.ceiling { return }
    var lack = self.lack
    var holdFrames = self.holdFrames
    for frame in 0..<frames {
      let magnitude = max(abs(left[frame]), abs(right[frame]))
      if holdFrames > 0 {
        holdFrames &-= 1
      } else if lack > 0 {
        lack -= release * lack
        if lack < Self.near { lack = 0 }
      }
      var gain = 1 - lack
      if magnitude * gain > Self.ceiling {
        gain = Self.ceiling / magnitude
        lack = 1 - gain
        holdFrames = holdLength
      } else if lack > 0 && magnitude * gain > Self.nearCeiling {
        holdFrames = holdLength
      }
      left[frame] *= gain
      right[frame] *= gain
    }
    self.lack = lack
    self.holdFrames = holdFrames
  }
}
