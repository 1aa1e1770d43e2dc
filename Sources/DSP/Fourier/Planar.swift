internal import CRealtime

/// Complex numbers in two places: all real parts, and all imaginary parts.
package struct Planar: BitwiseCopyable {
  /// The real parts.
  package let real: UnsafeMutablePointer<Float>
  /// The imaginary parts.
  package let imaginary: UnsafeMutablePointer<Float>

  /// Complex numbers in two places.
  @_noLocks
  package init(_ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>) {
    self.real = real
    self.imaginary = imaginary
  }

  /// The numbers with their parts exchanged, of which a transform is an inverse transform.
  package var exchanged: Planar {
    @_noLocks get { Planar(imaginary, real) }
  }
}

/// Four complex numbers at once.
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
    real = UnsafeRawPointer(from.real + index).loadUnaligned(as: SIMD4<Float>.self)
    imaginary = UnsafeRawPointer(from.imaginary + index).loadUnaligned(as: SIMD4<Float>.self)
  }

  /// Four numbers that have their two parts side by side.
  @_noLocks @inline(__always)
  init(pairs: UnsafePointer<Float>, at index: Int) {
    let bytes = UnsafeRawPointer(pairs + 2 &* index)
    let low = bytes.loadUnaligned(as: SIMD4<Float>.self)
    let high = bytes.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self)
    real = rt_evens(low, high)
    imaginary = rt_odds(low, high)
  }

  /// Four factors as a table holds them: real parts, then imaginary ones.
  @_noLocks @inline(__always)
  init(table: UnsafePointer<Float>) {
    let bytes = UnsafeRawPointer(table)
    real = bytes.loadUnaligned(as: SIMD4<Float>.self)
    imaginary = bytes.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self)
  }

  @_noLocks @inline(__always)
  func store(_ to: Planar, at index: Int) {
    UnsafeMutableRawPointer(to.real + index).storeBytes(of: real, as: SIMD4<Float>.self)
    UnsafeMutableRawPointer(to.imaginary + index).storeBytes(of: imaginary, as: SIMD4<Float>.self)
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
