internal import CRealtime

/// The radix-4 FFT passes.
///
/// A pass reads four values, each a quarter of the size apart, and writes them `stride` apart.
enum Radix4 {
  /// The four-point DFT.
  @_noLocks @inline(__always)
  static func butterfly(
    _ a: Complex4, _ b: Complex4, _ c: Complex4, _ d: Complex4
  ) -> (Complex4, Complex4, Complex4, Complex4) {
    let even = a + c
    let odd = b + d
    let evenLess = a - c
    let oddLess = b - d
    // The odd difference is multiplied by -i.
    return (
      even + odd,
      Complex4(evenLess.real + oddLess.imaginary, evenLess.imaginary - oddLess.real),
      even - odd,
      Complex4(evenLess.real - oddLess.imaginary, evenLess.imaginary + oddLess.real)
    )
  }

  /// The first pass: each value has its own twiddle factors, and outputs are four apart.
  @_noLocks
  static func first(
    _ from: Planar, _ to: Planar, quarter: Int, _ start: Int, _ end: Int,
    _ factors: UnsafePointer<Float>
  ) {
    first(to, quarter: quarter, start, end, factors) { Complex4(from, at: $0) }
  }

  /// The first pass, from interleaved values.
  @_noLocks
  static func first(
    pairs from: UnsafePointer<Float>, _ to: Planar, quarter: Int,
    _ factors: UnsafePointer<Float>
  ) {
    first(to, quarter: quarter, 0, quarter, factors) { Complex4(pairs: from, at: $0) }
  }

  @_noLocks @inline(__always)
  private static func first(
    _ to: Planar, quarter: Int, _ start: Int, _ end: Int, _ factors: UnsafePointer<Float>,
    _ input: (Int) -> Complex4
  ) {
    var factor = factors + start &* 6
    var index = start
    while index < end {
      let y = butterfly(
        input(index), input(index &+ quarter), input(index &+ 2 &* quarter),
        input(index &+ 3 &* quarter))
      storeTransposed(
        y.0, y.1 * Complex4(table: factor), y.2 * Complex4(table: factor + 8),
        y.3 * Complex4(table: factor + 16), to, at: 4 &* index, apart: 4)
      factor += 24
      index &+= 4
    }
  }

  /// Writes the first value of each of the four consecutively, then the second ones `apart`
  /// further, and so on.
  @_noLocks @inline(__always)
  static func storeTransposed(
    _ a: Complex4, _ b: Complex4, _ c: Complex4, _ d: Complex4, _ to: Planar, at index: Int,
    apart: Int
  ) {
    rt_store_transposed(to.real + index, apart, a.real, b.real, c.real, d.real)
    rt_store_transposed(
      to.imaginary + index, apart, a.imaginary, b.imaginary, c.imaginary, d.imaginary)
  }

  /// A middle pass: `stride` consecutive values share their factors.
  ///
  /// Processes runs `start` to `end`.
  @_noLocks @inline(__always)
  static func middle(
    _ from: Planar, _ to: Planar, quarter: Int, _ start: Int, _ end: Int, _ stride: Int,
    _ factors: UnsafePointer<Float>
  ) {
    var index = start &* stride
    var output = 4 &* index
    var factor = factors + start &* 24
    for _ in start..<end {
      let first = Complex4(table: factor)
      let second = Complex4(table: factor + 8)
      let third = Complex4(table: factor + 16)
      let runEnd = index &+ stride
      while index < runEnd {
        let y = butterfly(
          Complex4(from, at: index), Complex4(from, at: index &+ quarter),
          Complex4(from, at: index &+ 2 &* quarter), Complex4(from, at: index &+ 3 &* quarter))
        y.0.store(to, at: output)
        (y.1 * first).store(to, at: output &+ stride)
        (y.2 * second).store(to, at: output &+ 2 &* stride)
        (y.3 * third).store(to, at: output &+ 3 &* stride)
        output &+= 4
        index &+= 4
      }
      output &+= 3 &* stride
      factor += 24
    }
  }

  /// The last pass, whose twiddle factors are all 1.
  @_noLocks
  static func last(_ from: Planar, _ to: Planar, quarter: Int, _ start: Int, _ end: Int) {
    var index = start
    while index < end {
      let y = butterfly(
        Complex4(from, at: index), Complex4(from, at: index &+ quarter),
        Complex4(from, at: index &+ 2 &* quarter), Complex4(from, at: index &+ 3 &* quarter))
      y.0.store(to, at: index)
      y.1.store(to, at: index &+ quarter)
      y.2.store(to, at: index &+ 2 &* quarter)
      y.3.store(to, at: index &+ 3 &* quarter)
      index &+= 4
    }
  }
}
