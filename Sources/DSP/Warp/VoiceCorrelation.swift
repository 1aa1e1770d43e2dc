/// What runs of samples tell: their sums, and where their tops lie.
enum VoiceCorrelation {
  /// The sum of a run.
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

  /// Finds how far beside the middle of three values the top of a parabola through them lies.
  @_noLocks
  static func top(_ before: Float, _ middle: Float, _ behind: Float) -> Float {
    let bend = before - 2 * middle + behind
    if !(bend < 0) { return 0 }
    let beside = 0.5 * (before - behind) / bend
    // NaN, too, is none.
    return abs(beside) <= 0.5 ? beside : 0
  }
}
