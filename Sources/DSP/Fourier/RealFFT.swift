internal import CRealtime

/// The FFT of real signals for power-of-two sizes from 128.
///
/// Even and odd samples become the real and imaginary parts of a complex signal of half the size.
/// Its spectrum is split by symmetry, a bin and its mirror at a time.
package struct RealFFT: ~Copyable, @unchecked Sendable {
  /// The transform size, in samples.
  package let size: Int

  private let half: ComplexFFT
  // Twiddle factors for the odd samples' spectrum, from bin 1 on: 16 real parts and 16 imaginary
  // parts in turn.
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
    turns = buffers.floats(size / 2)
    for bin in 1...(size / 4) {
      // Half the twiddle factor times -i: the split formula below needs both.
      let angle = -2 * Double.pi * Double(bin) / Double(size)
      let at = turns + (bin - 1) / 16 * 32 + (bin - 1) % 16
      at[0] = Float(0.5 * rt_sin(angle))
      at[16] = Float(-0.5 * rt_cos(angle))
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
    half.transform(pairs: samples, to: output, scratch: first)

    let constant = output.real[0]
    let alternating = output.imaginary[0]
    let middle = (output.real[count / 2], output.imaginary[count / 2])
    rt_split_spectrum(output.input, spectrum.output, count, turns)
    spectrum.real[0] = constant + alternating
    spectrum.imaginary[0] = 0
    spectrum.real[count] = constant - alternating
    spectrum.imaginary[count] = 0
    spectrum.real[count / 2] = middle.0
    spectrum.imaginary[count / 2] = -middle.1
  }

  /// Transforms `spectrum` back to `samples`, scaled by `size`.
  ///
  /// The imaginary parts of the first and last bin count as 0.
  @_noLocks
  package borrowing func inverse(_ spectrum: Planar, to samples: UnsafeMutablePointer<Float>) {
    let count = size / 2
    let input = first
    let output = second
    rt_merge_spectrum(spectrum.input, input.output, count, turns)
    input.real[0] = spectrum.real[0] + spectrum.real[count]
    input.imaginary[0] = spectrum.real[0] - spectrum.real[count]
    input.real[count / 2] = 2 * spectrum.real[count / 2]
    input.imaginary[count / 2] = -2 * spectrum.imaginary[count / 2]

    half.transform(
      input.exchanged, to: output.exchanged,
      scratch: Planar(samples, samples + count))
    rt_interleave(output.input, samples, count)
  }
}
