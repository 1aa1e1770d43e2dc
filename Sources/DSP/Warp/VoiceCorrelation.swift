/// Sums and peak interpolation for correlation.
enum VoiceCorrelation {
  /// Returns the sum of samples.
  @_noLocks
  static func sum(_ samples: UnsafePointer<Float>, count: Int) -> Float {
    var sums = SIMD8<Float>(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      sums += samples.eight(at: index)
      index &+= 8
    }
    let four = sums.lowHalf + sums.highHalf
    var sum = (four.x + four.y) + (four.z + four.w)
    while index < count {
      sum += samples[index]
      index &+= 1
    }
    return sum
  }

  /// Returns the offset from the middle of three values to the vertex of a parabola through them.
  ///
  /// The result is 0 if it would lie outside -0.5...0.5.
  @_noLocks
  static func top(_ before: Float, _ middle: Float, _ behind: Float) -> Float {
    let bend = before - 2 * middle + behind
    if !(bend < 0) { return 0 }
    let beside = 0.5 * (before - behind) / bend
    // Also catches NaN.
    return abs(beside) <= 0.5 ? beside : 0
  }
}
