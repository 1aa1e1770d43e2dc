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

  /// The values as input of a C kernel.
  var input: rt_planar {
    @_noLocks get { rt_planar(real: UnsafePointer(real), imaginary: UnsafePointer(imaginary)) }
  }

  /// The arrays as output of a C kernel.
  var output: rt_planar_output {
    @_noLocks get { rt_planar_output(real: real, imaginary: imaginary) }
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
