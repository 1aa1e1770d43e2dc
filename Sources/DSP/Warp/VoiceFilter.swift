/// Reads always at the same place between two samples.
///
/// What is read at the tape's own speed needs its weights but once, and then half of the time.
struct VoiceFilter: BitwiseCopyable {
  /// The taps of the bank's shortest reader.
  static var taps: Int { @_noLocks get { 32 } }
  /// How long the impulse is by which the bank tells its weights.
  static var impulseFrames: Int { @_noLocks get { 2 &* taps } }

  private let weights: UnsafeMutablePointer<Float>
  private let impulse: UnsafePointer<Float>

  /// A filter with these weights, and an impulse in the middle of silence.
  @_noLocks
  init(weights: UnsafeMutablePointer<Float>, impulse: UnsafePointer<Float>) {
    self.weights = weights
    self.impulse = impulse
  }

  /// Takes the weights for a fraction of a sample, with 32 binary places.
  @_noLocks
  func fill(_ bank: borrowing SincBank, fraction: Int64, scratch: Stereo) {
    // The impulse passes the reader from the last tap to the first.
    let first = Int64(Self.taps / 2 &- 1) << 32
    bank.read(
      table: 0, left: impulse, right: impulse, from: first &+ fraction, step: WarpStep.unity,
      to: scratch, frames: Self.taps)
    for tap in 0..<Self.taps { weights[tap] = scratch.left[Self.taps &- 1 &- tap] }
  }

  /// Reads `frames` samples, eight at a time: beyond the last there is room for seven.
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
