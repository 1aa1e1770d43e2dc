internal import CRealtime

/// The taps of low-pass filters for decimation.
enum LowPassTaps {
  /// Writes a Hann-windowed sinc of gain 1, whose center is tap `count / 2`; the cutoff is relative to the sample rate.
  static func write(to taps: UnsafeMutablePointer<Float>, count: Int, cutoff: Double) {
    let weights = (0..<count).map { tap in
      let distance = Double(tap - count / 2)
      let angle = 2 * Double.pi * cutoff * distance
      let hann = 0.5 + 0.5 * rt_cos(2 * Double.pi * distance / Double(count))
      return hann * (distance == 0 ? 1 : rt_sin(angle) / angle)
    }
    let sum = weights.reduce(0, +)
    for tap in 0..<count { taps[tap] = Float(weights[tap] / sum) }
  }
}
