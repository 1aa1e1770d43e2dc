internal import CRealtime

/// The complex FFT for power-of-two sizes from 64.
///
/// It is Stockham's autosort algorithm (W. T. Cochran et al., "What is the fast Fourier
/// transform?", 1967) in passes of radix 8 and 4. Each pass reads and writes sequentially, so there
/// is no bit reversal, and work can stop between or inside passes and resume later. The result is
/// identical on all processors.
package struct ComplexFFT: ~Copyable, @unchecked Sendable {
  /// The transform size.
  package let size: Int
  /// The number of passes.
  package let passCount: Int

  private let buffers = Buffers()
  // The passes, and the first one for interleaved input.
  private let passes: UnsafeMutablePointer<rt_fourier_pass>

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

    var stride = 1
    let passes = buffers.filled(with: rt_fourier_pass(), count: passCount + 1)
    for (index, radix) in radices.enumerated() {
      passes[index] = rt_fourier_pass(
        size: size, radix: radix, stride: stride, is_last: index == passCount - 1 ? 1 : 0,
        is_paired: 0,
        factors: Self.factors(size: size, radix: radix, stride: stride, in: buffers))
      stride *= radix
    }
    passes[passCount] = passes[0]
    passes[passCount].is_paired = 1
    self.passes = passes
  }

  /// Returns the twiddle factors of one pass: per value in the first pass, per run that shares them
  /// in the others.
  private static func factors(
    size: Int, radix: Int, stride: Int, in buffers: borrowing Buffers
  ) -> UnsafePointer<Float> {
    let length = size / stride
    let count = length / radix
    let group = stride == 1 ? 16 : 4
    let groups = (count + group - 1) / group
    let table = buffers.floats(groups * group * (radix - 1) * 2)
    for place in 0..<count {
      for output in 1..<radix {
        let angle = -2 * Double.pi * Double(place * output) / Double(length)
        let at = table + (place / group * (radix - 1) + output - 1) * 2 * group + place % group
        at[0] = Float(rt_cos(angle))
        at[group] = Float(rt_sin(angle))
      }
    }
    return UnsafePointer(table)
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
  /// The three buffers must not overlap.
  @_noLocks
  borrowing func transform(pairs: UnsafePointer<Float>, to: Planar, scratch: Planar) {
    rt_run_fourier_pass(
      passes + passCount, rt_planar(real: pairs, imaginary: nil),
      place(0, to: to, scratch: scratch).output, 0, size / passes[0].radix)
    for index in 1..<passCount {
      pass(
        index, from: place(index &- 1, to: to, scratch: scratch),
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
    let values = size / passes[index].radix
    rt_run_fourier_pass(
      passes + index, from.input, to.output, values &* slice / count,
      values &* (slice &+ 1) / count)
  }
}
