/// Sums over runs of samples, sixteen at a time.
enum VoiceCorrelation {
  /// The sum of the products of two runs.
  @_noLocks
  static func product(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
    let first = UnsafeRawPointer(a)
    let second = UnsafeRawPointer(b)
    var sums = SIMD16<Float>(repeating: 0)
    var index = 0
    while index &+ 16 <= count {
      let offset = index &* 4
      sums +=
        first.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
        * second.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
      index &+= 16
    }
    let eight = sums.lowHalf + sums.highHalf
    let four = eight.lowHalf + eight.highHalf
    var sum = (four.x + four.y) + (four.z + four.w)
    while index < count {
      sum += a[index] * b[index]
      index &+= 1
    }
    return sum
  }

  /// The sums of the products of a run with four others, of which each begins a sample later.
  @_noLocks
  static func products(
    _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int
  ) -> SIMD4<Float> {
    // Half of the time goes into loading: what is loaded of `a` serves all four.
    let first = UnsafeRawPointer(a)
    let second = UnsafeRawPointer(b)
    var (sums0, sums1) = (SIMD8<Float>(repeating: 0), SIMD8<Float>(repeating: 0))
    var (sums2, sums3) = (SIMD8<Float>(repeating: 0), SIMD8<Float>(repeating: 0))
    var index = 0
    while index &+ 8 <= count {
      let at = index &* 4
      let own = first.loadUnaligned(fromByteOffset: at, as: SIMD8<Float>.self)
      sums0 += own * second.loadUnaligned(fromByteOffset: at, as: SIMD8<Float>.self)
      sums1 += own * second.loadUnaligned(fromByteOffset: at &+ 4, as: SIMD8<Float>.self)
      sums2 += own * second.loadUnaligned(fromByteOffset: at &+ 8, as: SIMD8<Float>.self)
      sums3 += own * second.loadUnaligned(fromByteOffset: at &+ 12, as: SIMD8<Float>.self)
      index &+= 8
    }
    let four0 = sums0.lowHalf + sums0.highHalf
    let four1 = sums1.lowHalf + sums1.highHalf
    let four2 = sums2.lowHalf + sums2.highHalf
    let four3 = sums3.lowHalf + sums3.highHalf
    var sum = SIMD4<Float>(
      (four0.x + four0.y) + (four0.z + four0.w), (four1.x + four1.y) + (four1.z + four1.w),
      (four2.x + four2.y) + (four2.z + four2.w), (four3.x + four3.y) + (four3.z + four3.w))
    while index < count {
      sum += a[index] * SIMD4(b[index], b[index &+ 1], b[index &+ 2], b[index &+ 3])
      index &+= 1
    }
    return sum
  }

  /// The sum of a run.
  @_noLocks
  static func sum(_ samples: UnsafePointer<Float>, count: Int) -> Float {
    let from = UnsafeRawPointer(samples)
    var sums = SIMD8<Float>(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      sums += from.loadUnaligned(fromByteOffset: index &* 4, as: SIMD8<Float>.self)
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
