internal import CRealtime

/// Complex values in planar layout: separate arrays of real and imaginary parts.
package struct Planar: BitwiseCopyable {
  /// The real parts.
  package let real: UnsafeMutablePointer<Float>
  /// The imaginary parts.
  package let imaginary: UnsafeMutablePointer<Float>

  /// Creates a planar view of two arrays.
  @_noLocks
  package init(_ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>) {
    self.real = real
    self.imaginary = imaginary
  }

  /// The values with real and imaginary parts exchanged, which turns a forward transform into an
  /// inverse one.
  package var exchanged: Planar {
    @_noLocks get { Planar(imaginary, real) }
  }
}

/// Four complex values in SIMD registers.
struct Complex4: BitwiseCopyable {
  var real: SIMD4<Float>
  var imaginary: SIMD4<Float>

  @_noLocks @inline(__always)
  init(_ real: SIMD4<Float>, _ imaginary: SIMD4<Float>) {
    self.real = real
    self.imaginary = imaginary
  }

  @_noLocks @inline(__always)
  init(_ from: Planar, at index: Int) {
    real = from.real.four(at: index)
    imaginary = from.imaginary.four(at: index)
  }

  /// Loads four interleaved values.
  @_noLocks @inline(__always)
  init(pairs: UnsafePointer<Float>, at index: Int) {
    let (low, high) = (pairs.four(at: 2 &* index), pairs.four(at: 2 &* index &+ 4))
    real = rt_evens(low, high)
    imaginary = rt_odds(low, high)
  }

  /// Loads four twiddle factors in table layout: real parts, then imaginary parts.
  @_noLocks @inline(__always)
  init(table: UnsafePointer<Float>) {
    real = table.four(at: 0)
    imaginary = table.four(at: 4)
  }

  @_noLocks @inline(__always)
  func store(_ to: Planar, at index: Int) {
    to.real.setFour(at: index, real)
    to.imaginary.setFour(at: index, imaginary)
  }

  @_noLocks @inline(__always)
  static func + (a: Complex4, b: Complex4) -> Complex4 {
    Complex4(a.real + b.real, a.imaginary + b.imaginary)
  }

  @_noLocks @inline(__always)
  static func - (a: Complex4, b: Complex4) -> Complex4 {
    Complex4(a.real - b.real, a.imaginary - b.imaginary)
  }

  @_noLocks @inline(__always)
  static func * (a: Complex4, b: Complex4) -> Complex4 {
    Complex4(
      a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real)
  }
}
