/// A fixed fractional-delay filter.
///
/// At the tape's own speed the fraction is constant, so the weights are computed once and reads
/// take half of the time.
struct VoiceFilter: BitwiseCopyable {
  /// The number of taps of the bank's shortest interpolator.
  static var taps: Int { @_noLocks get { 32 } }
  /// The length of the impulse from which the weights are derived.
  static var impulseFrames: Int { @_noLocks get { 2 &* taps } }

  private let weights: UnsafeMutablePointer<Float>
  private let impulse: UnsafePointer<Float>

  /// Creates a filter from memory for the weights and an impulse in the middle of silence.
  @_noLocks
  init(weights: UnsafeMutablePointer<Float>, impulse: UnsafePointer<Float>) {
    self.weights = weights
    self.impulse = impulse
  }

  /// Computes the weights for a fraction of a sample, in units of 2^-32.
  @_noLocks
  func fill(_ bank: borrowing SincBank, fraction: Int64, scratch: Stereo) {
    // The impulse passes the interpolator from the last tap to the first.
    let first = Int64(Self.taps / 2 &- 1) << 32
    bank.read(
      table: 0, left: impulse, right: impulse, from: first &+ fraction, step: WarpStep.unity,
      to: scratch, frames: Self.taps)
    for tap in 0..<Self.taps { weights[tap] = scratch.left[Self.taps &- 1 &- tap] }
  }

  /// Reads `frames` samples, eight at a time; the output needs room for seven more.
  @_noLocks
  func read(
    _ samples: UnsafePointer<Float>, to output: UnsafeMutablePointer<Float>, frames: Int
  ) {
    let from = samples - (Self.taps / 2 - 1)
    var frame = 0
    while frame < frames {
      var sum = SIMD8<Float>(repeating: 0)
      for tap in 0..<Self.taps {
        sum += from.eight(at: frame &+ tap) * weights[tap]
      }
      output.setEight(at: frame, sum)
      frame &+= 8
    }
  }
}
