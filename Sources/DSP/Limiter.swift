internal import CRealtime

/// A stereo peak limiter without lookahead or latency.
///
/// Below the ceiling it is bit-transparent. A sample above it lowers the gain at once, just far
/// enough that this sample meets the ceiling. The gain is then held, so that it doesn't follow the
/// single cycles of a low note, and recovers exponentially. Both channels share one gain, which
/// preserves the stereo image. Lookahead would add latency that performers hear; without it, the
/// first wave of an overload has a rounded crest.
public struct Limiter: BitwiseCopyable {
  /// The ceiling, linear: -0.1 dBFS, rounded down.
  package static let ceiling: Float = 0.988_553
  // A peak within this share of the ceiling renews the hold: the samples of a steady tone rarely
  // meet its crests exactly.
  private static let nearCeiling: Float = 0.968
  private static let holdSeconds: Float = 0.025
  private static let releaseSeconds: Float = 0.15
  // Gain reduction below which the gain counts as 1: less than half a step of 24-bit audio.
  private static let near: Float = 3e-8

  // The gain is stored as 1 - gain; small steps of the gain itself would be lost to rounding.
  @usableFromInline var lack: Float = 0
  private var holdFrames: Int32 = 0
  private var holdLength: Int32 = 0
  private var release: Float = 0

  /// Creates a limiter with no gain reduction.
  @_noLocks
  package init(sampleRate: Float) {
    setSampleRate(sampleRate)
  }

  /// Adjusts to a new sample rate; hold and release stay the same in seconds.
  @_noLocks
  package mutating func setSampleRate(_ rate: Float) {
    holdLength = Int32(Self.holdSeconds * rate)
    release = 1 - rt_exp(-1 / (Self.releaseSeconds * rate))
  }

  /// Whether an open limiter leaves a block with this peak unchanged.
  @_noLocks
  package static func passes(_ peak: Magnitude) -> Bool { peak.bits <= ceiling.bitPattern }

  /// The gain after the last sample, linear.
  public var currentGain: Float {
    @_noLocks @inlinable get { 1 - lack }
  }

  /// Limits in place.
  ///
  /// `peak` is the greatest magnitude of both channels.
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
