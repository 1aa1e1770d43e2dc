internal import CRealtime

/// The complex FFT for power-of-two sizes from 64.
///
/// It is Stockham's autosort algorithm (W. T. Cochran et al., "What is the fast Fourier
/// transform?", 1967) in passes of radix 8 and 4. Each pass reads and writes sequentially, so there
/// is no bit reversal, and work can stop between or inside passes and resume later.
package struct ComplexFFT: ~Copyable, @unchecked Sendable {
  /// The transform size.
  package let size: Int
  /// The number of passes.
  package let passCount: Int

  /// One pass: its radix, the number of consecutive values that share a twiddle factor, and its
  /// factors.
  private struct Pass {
    var radix: Int
    var stride: Int
    var isLast: Bool
    var factors: UnsafeMutablePointer<Float>
  }

  private let buffers = Buffers()
  private let passes: UnsafeMutablePointer<Pass>

  /// Creates a transform of `size` values, a power of two and at least 64.
  package init(size: Int) {
    precondition(size >= 64 && size & (size - 1) == 0)
    self.size = size
    var bits = size.trailingZeroBitCount
    var radices: [Int] = []
    while bits % 3 != 0 {
      radices.append(4)
      bits -= 2
    }
    radices += Array(repeating: 8, count: bits / 3)
    passCount = radices.count

    var table = buffers.floats(Self.factorCount(size: size, radices: radices))
    var stride = 1
    passes = buffers.made(count: passCount) { index in
      let radix = radices[index]
      defer {
        table = Self.fill(table, size: size, radix: radix, stride: stride)
        stride *= radix
      }
      return Pass(
        radix: radix, stride: stride, isLast: index == radices.count - 1, factors: table)
    }
  }

  private static func factorCount(size: Int, radices: [Int]) -> Int {
    var count = 0
    var stride = 1
    for radix in radices {
      count += size / radix / min(max(stride, 4), size / radix) * (radix - 1) * 8
      stride *= radix
    }
    return count
  }

  /// Writes the twiddle factors of one pass: per four consecutive values in the first pass, per run
  /// that shares them in the others.
  ///
  /// Each is stored four times, so no lane needs a broadcast.
  private static func fill(
    _ table: UnsafeMutablePointer<Float>, size: Int, radix: Int, stride: Int
  ) -> UnsafeMutablePointer<Float> {
    var table = table
    let length = size / stride
    let groups = length / radix / (stride == 1 ? 4 : 1)
    for group in 0..<groups {
      for output in 1..<radix {
        for lane in 0..<4 {
          let place = stride == 1 ? 4 * group + lane : group
          let angle = -2 * Double.pi * Double(place * output) / Double(length)
          (table + lane).initialize(to: Float(rt_cos(angle)))
          (table + 4 + lane).initialize(to: Float(rt_sin(angle)))
        }
        table += 8
      }
    }
    return table
  }

  /// Transforms `from` to `to`.
  ///
  /// The three buffers must not overlap.
  ///
  /// For the inverse, scaled by `size`, exchange real and imaginary parts of `from` and `to`.
  @_noLocks
  package borrowing func transform(_ from: Planar, to: Planar, scratch: Planar) {
    for index in 0..<passCount {
      pass(
        index, from: index == 0 ? from : place(index &- 1, to: to, scratch: scratch),
        to: place(index, to: to, scratch: scratch), slice: 0, of: 1)
    }
  }

  /// Transforms interleaved complex values to `to`.
  ///
  /// None of the four buffers may overlap.
  @_noLocks
  borrowing func transform(
    pairs: UnsafePointer<Float>, to: Planar, scratch: Planar, parted: Planar
  ) {
    var done = 0
    if passes[0].radix == 4 {
      // The first pass deinterleaves as it reads, which saves a whole pass.
      Radix4.first(
        pairs: pairs, place(0, to: to, scratch: scratch), quarter: size / 4, passes[0].factors)
      done = 1
    } else {
      var index = 0
      while index < size {
        Complex4(pairs: pairs, at: index).store(parted, at: index)
        index &+= 4
      }
    }
    for index in done..<passCount {
      pass(
        index, from: index == 0 ? parted : place(index &- 1, to: to, scratch: scratch),
        to: place(index, to: to, scratch: scratch), slice: 0, of: 1)
    }
  }

  /// Returns the buffer that holds the result of a pass; for the last one, `to`.
  @_noLocks
  package borrowing func place(_ pass: Int, to: Planar, scratch: Planar) -> Planar {
    (passCount &- 1 &- pass) & 1 == 0 ? to : scratch
  }

  /// Runs one slice of a pass: slice `slice` of `count` equal ones.
  ///
  /// `count` is a power of two up to 4.
  @_noLocks
  package borrowing func pass(
    _ index: Int, from: Planar, to: Planar, slice: Int, of count: Int
  ) {
    let pass = passes[index]
    let numbers = size / pass.radix
    // Passes with shared factors count runs instead of values.
    let whole = pass.stride == 1 || pass.isLast ? numbers : numbers / pass.stride
    let start = whole &* slice / count
    let end = whole &* (slice &+ 1) / count
    let factors = UnsafePointer(pass.factors)
    if pass.radix == 4 {
      switch (pass.stride, pass.isLast) {
      case (1, _): Radix4.first(from, to, quarter: numbers, start, end, factors)
      case (_, true): Radix4.last(from, to, quarter: numbers, start, end)
      // A constant stride halves the work when runs are as short as a vector.
      case (4, _): Radix4.middle(from, to, quarter: numbers, start, end, 4, factors)
      default: Radix4.middle(from, to, quarter: numbers, start, end, pass.stride, factors)
      }
    } else {
      switch (pass.stride, pass.isLast) {
      case (1, _): Radix8.first(from, to, eighth: numbers, start, end, factors)
      case (_, true): Radix8.last(from, to, eighth: numbers, start, end)
      case (4, _): Radix8.middle(from, to, eighth: numbers, start, end, 4, factors)
      case (8, _): Radix8.middle(from, to, eighth: numbers, start, end, 8, factors)
      default: Radix8.middle(from, to, eighth: numbers, start, end, pass.stride, factors)
      }
    }
  }
}
