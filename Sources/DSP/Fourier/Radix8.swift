/// The radix-8 FFT passes.
///
/// The even outputs are a radix-4 transform of sums, the odd ones that of rotated differences. Each
/// half loads its own inputs, because sixteen values and their sums don't fit into the registers.
enum Radix8 {
  @_noLocks @inline(__always)
  private static func evens(
    _ from: Planar, _ index: Int, _ eighth: Int
  ) -> (Complex4, Complex4, Complex4, Complex4) {
    Radix4.butterfly(
      Complex4(from, at: index) + Complex4(from, at: index &+ 4 &* eighth),
      Complex4(from, at: index &+ eighth) + Complex4(from, at: index &+ 5 &* eighth),
      Complex4(from, at: index &+ 2 &* eighth) + Complex4(from, at: index &+ 6 &* eighth),
      Complex4(from, at: index &+ 3 &* eighth) + Complex4(from, at: index &+ 7 &* eighth))
  }

  @_noLocks @inline(__always)
  private static func odds(
    _ from: Planar, _ index: Int, _ eighth: Int
  ) -> (Complex4, Complex4, Complex4, Complex4) {
    let half = SIMD4<Float>(repeating: 0.707_106_781)
    let first = Complex4(from, at: index) - Complex4(from, at: index &+ 4 &* eighth)
    let third =
      Complex4(from, at: index &+ 2 &* eighth) - Complex4(from, at: index &+ 6 &* eighth)
    let second =
      Complex4(from, at: index &+ eighth) - Complex4(from, at: index &+ 5 &* eighth)
    let fourth =
      Complex4(from, at: index &+ 3 &* eighth) - Complex4(from, at: index &+ 7 &* eighth)
    // Rotations by -45, -90 and -135 degrees for the second, third and fourth.
    let even = Complex4(first.real + third.imaginary, first.imaginary - third.real)
    let evenLess = Complex4(first.real - third.imaginary, first.imaginary + third.real)
    let secondReal = second.real + second.imaginary
    let secondImaginary = second.imaginary - second.real
    let fourthReal = fourth.imaginary - fourth.real
    let fourthImaginary = fourth.real + fourth.imaginary
    let odd = Complex4(
      (secondReal + fourthReal) * half, (secondImaginary - fourthImaginary) * half)
    let oddLess = Complex4(
      (secondReal - fourthReal) * half, (secondImaginary + fourthImaginary) * half)
    return (
      even + odd,
      Complex4(evenLess.real + oddLess.imaginary, evenLess.imaginary - oddLess.real),
      even - odd,
      Complex4(evenLess.real - oddLess.imaginary, evenLess.imaginary + oddLess.real)
    )
  }

  /// The first pass: each value has its own twiddle factors, and outputs are eight apart.
  @_noLocks
  static func first(
    _ from: Planar, _ to: Planar, eighth: Int, _ start: Int, _ end: Int,
    _ factors: UnsafePointer<Float>
  ) {
    var factor = factors + start &* 14
    var index = start
    while index < end {
      let even = evens(from, index, eighth)
      let odd = odds(from, index, eighth)
      Radix4.storeTransposed(
        even.0, odd.0 * Complex4(table: factor), even.1 * Complex4(table: factor + 8),
        odd.1 * Complex4(table: factor + 16), to, at: 8 &* index, apart: 8)
      Radix4.storeTransposed(
        even.2 * Complex4(table: factor + 24), odd.2 * Complex4(table: factor + 32),
        even.3 * Complex4(table: factor + 40), odd.3 * Complex4(table: factor + 48), to,
        at: 8 &* index &+ 4, apart: 8)
      factor += 56
      index &+= 4
    }
  }

  /// A middle pass: `stride` consecutive values share their factors.
  ///
  /// Processes runs `start` to `end`.
  @_noLocks @inline(__always)
  static func middle(
    _ from: Planar, _ to: Planar, eighth: Int, _ start: Int, _ end: Int, _ stride: Int,
    _ factors: UnsafePointer<Float>
  ) {
    var index = start &* stride
    var output = 8 &* index
    var factor = factors + start &* 56
    for _ in start..<end {
      let runEnd = index &+ stride
      while index < runEnd {
        let even = evens(from, index, eighth)
        even.0.store(to, at: output)
        (even.1 * Complex4(table: factor + 8)).store(to, at: output &+ 2 &* stride)
        (even.2 * Complex4(table: factor + 24)).store(to, at: output &+ 4 &* stride)
        (even.3 * Complex4(table: factor + 40)).store(to, at: output &+ 6 &* stride)
        let odd = odds(from, index, eighth)
        (odd.0 * Complex4(table: factor)).store(to, at: output &+ stride)
        (odd.1 * Complex4(table: factor + 16)).store(to, at: output &+ 3 &* stride)
        (odd.2 * Complex4(table: factor + 32)).store(to, at: output &+ 5 &* stride)
        (odd.3 * Complex4(table: factor + 48)).store(to, at: output &+ 7 &* stride)
        output &+= 4
        index &+= 4
      }
      output &+= 7 &* stride
      factor += 56
    }
  }

  /// The last pass, whose twiddle factors are all 1.
  @_noLocks
  static func last(_ from: Planar, _ to: Planar, eighth: Int, _ start: Int, _ end: Int) {
    var index = start
    while index < end {
      let even = evens(from, index, eighth)
      even.0.store(to, at: index)
      even.1.store(to, at: index &+ 2 &* eighth)
      even.2.store(to, at: index &+ 4 &* eighth)
      even.3.store(to, at: index &+ 6 &* eighth)
      let odd = odds(from, index, eighth)
      odd.0.store(to, at: index &+ eighth)
      odd.1.store(to, at: index &+ 3 &* eighth)
      odd.2.store(to, at: index &+ 5 &* eighth)
      odd.3.store(to, at: index &+ 7 &* eighth)
      index &+= 4
    }
  }
}
