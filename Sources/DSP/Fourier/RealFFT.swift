internal import CRealtime

/// The FFT of real signals for power-of-two sizes from 128.
///
/// Even and odd samples become the real and imaginary parts of a complex signal of half the size.
/// Its spectrum is split by symmetry, a bin and its mirror at a time.
package struct RealFFT: ~Copyable, @unchecked Sendable {
  /// The transform size, in samples.
  package let size: Int

  private let half: ComplexFFT
  // Twiddle factors for the odd samples' spectrum, four real parts and four imaginary parts in
  // turn.
  private let turns: UnsafeMutablePointer<Float>
  private let buffers = Buffers()
  private let work: UnsafeMutablePointer<Float>

  /// The number of bins.
  ///
  /// The first and last are real.
  package var bins: Int {
    @_noLocks get { size / 2 &+ 1 }
  }

  /// Creates a transform of `size` samples, a power of two and at least 128.
  package init(size: Int) {
    precondition(size >= 128 && size & (size - 1) == 0)
    self.size = size
    half = ComplexFFT(size: size / 2)
    turns = buffers.floats(size / 2 + 8)
    for bin in 1...(size / 4 + 4) {
      // Half the twiddle factor times -i: the split formula below needs both.
      let angle = -2 * Double.pi * Double(bin) / Double(size)
      let at = turns + (bin - 1) / 4 * 8 + (bin - 1) % 4
      at[0] = Float(0.5 * rt_sin(angle))
      at[4] = Float(-0.5 * rt_cos(angle))
    }
    work = buffers.floats(2 * size + 4 * Self.apart)
  }

  // Offsets of a power of two would map all parts to the same few cache sets.
  private static var apart: Int { @_noLocks get { 48 } }

  private var first: Planar {
    @_noLocks get { Planar(work, work + (size / 2 &+ Self.apart)) }
  }
  private var second: Planar {
    @_noLocks get {
      Planar(work + (size &+ 2 &* Self.apart), work + (size / 2 &* 3 &+ 3 &* Self.apart))
    }
  }

  /// Transforms `samples` to `spectrum`, which has `bins` entries, without scaling.
  ///
  /// The two must not overlap.
  @_noLocks
  package borrowing func forward(_ samples: UnsafePointer<Float>, to spectrum: Planar) {
    let count = size / 2
    let output = second
    half.transform(pairs: samples, to: output, scratch: spectrum, parted: first)

    let constant = output.real[0]
    let alternating = output.imaginary[0]
    let middle = (output.real[count / 2], output.imaginary[count / 2])
    // Bin b of the full spectrum is E(b) - i w^b O(b), where E and O are the even and odd parts of
    // the half-size spectrum Z: 2 E(b) = Z(b) + Z*(M - b), 2 O(b) = (Z(b) - Z*(M - b)) / i.
    let quarter = SIMD4<Float>(repeating: 0.5)
    var index = 1
    while index < count / 2 {
      let low = Complex4(output, at: index)
      let mirror = Complex4(output, at: count &- index &- 3)
      let highReal = rt_reversed(mirror.real)
      let highImaginary = rt_reversed(mirror.imaginary)
      let even = Complex4(
        (low.real + highReal) * quarter, (low.imaginary - highImaginary) * quarter)
      let odd = Complex4(low.real - highReal, low.imaginary + highImaginary)
      let turned = odd * turn(index)
      (even + turned).store(spectrum, at: index)
      let mirrored = even - turned
      Complex4(rt_reversed(mirrored.real), -rt_reversed(mirrored.imaginary))
        .store(spectrum, at: count &- index &- 3)
      index &+= 4
    }
    spectrum.real[0] = constant + alternating
    spectrum.imaginary[0] = 0
    spectrum.real[count] = constant - alternating
    spectrum.imaginary[count] = 0
    spectrum.real[count / 2] = middle.0
    spectrum.imaginary[count / 2] = -middle.1
  }

  /// Returns the factors of bins `bin` to `bin + 3`.
  ///
  /// `bin` is one more than a multiple of 4.
  @_noLocks @inline(__always)
  private borrowing func turn(_ bin: Int) -> Complex4 {
    Complex4(table: turns + (bin &- 1) &* 2)
  }

  /// Transforms `spectrum` back to `samples`, scaled by `size`.
  ///
  /// The imaginary parts of the first and last bin count as 0.
  @_noLocks
  package borrowing func inverse(_ spectrum: Planar, to samples: UnsafeMutablePointer<Float>) {
    let count = size / 2
    let input = first
    let output = second
    var index = 1
    while index < count / 2 {
      let low = Complex4(spectrum, at: index)
      let mirror = Complex4(spectrum, at: count &- index &- 3)
      let highReal = rt_reversed(mirror.real)
      let highImaginary = rt_reversed(mirror.imaginary)
      let even = Complex4(low.real + highReal, low.imaginary - highImaginary)
      let turned = Complex4(low.real - highReal, low.imaginary + highImaginary)
      let turn = turn(index)
      let odd = turned * Complex4(turn.real + turn.real, -(turn.imaginary + turn.imaginary))
      (even + odd).store(input, at: index)
      let mirrored = even - odd
      Complex4(rt_reversed(mirrored.real), -rt_reversed(mirrored.imaginary))
        .store(input, at: count &- index &- 3)
      index &+= 4
    }
    input.real[0] = spectrum.real[0] + spectrum.real[count]
    input.imaginary[0] = spectrum.real[0] - spectrum.real[count]
    input.real[count / 2] = 2 * spectrum.real[count / 2]
    input.imaginary[count / 2] = -2 * spectrum.imaginary[count / 2]

    half.transform(
      input.exchanged, to: output.exchanged,
      scratch: Planar(samples, samples + count))
    index = 0
    while index < count {
      let numbers = Complex4(output, at: index)
      samples.setFour(at: 2 &* index, rt_interleave_low(numbers.real, numbers.imaginary))
      samples.setFour(at: 2 &* index &+ 4, rt_interleave_high(numbers.real, numbers.imaginary))
      index &+= 4
    }
  }
}
