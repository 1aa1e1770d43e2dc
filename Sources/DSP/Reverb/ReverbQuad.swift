internal import CRealtime

/// Four frames of four lines, one vector per line.
///
/// Always inlined: across calls, the vectors would go through memory.
struct ReverbQuad: BitwiseCopyable {
  var a: SIMD4<Float>
  var b: SIMD4<Float>
  var c: SIMD4<Float>
  var d: SIMD4<Float>

  @_noLocks @inline(__always)
  init(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
  }

  /// Loads four vectors that are `stride` bytes apart.
  @_noLocks @inline(__always)
  init(_ from: UnsafeRawPointer, stride: Int) {
    a = from.loadUnaligned(as: SIMD4<Float>.self)
    b = from.loadUnaligned(fromByteOffset: stride, as: SIMD4<Float>.self)
    c = from.loadUnaligned(fromByteOffset: 2 &* stride, as: SIMD4<Float>.self)
    d = from.loadUnaligned(fromByteOffset: 3 &* stride, as: SIMD4<Float>.self)
  }

  @_noLocks @inline(__always)
  func store(_ to: UnsafeMutableRawPointer, stride: Int) {
    to.storeBytes(of: a, as: SIMD4<Float>.self)
    to.storeBytes(of: b, toByteOffset: stride, as: SIMD4<Float>.self)
    to.storeBytes(of: c, toByteOffset: 2 &* stride, as: SIMD4<Float>.self)
    to.storeBytes(of: d, toByteOffset: 3 &* stride, as: SIMD4<Float>.self)
  }

  /// Returns the 4x4 transpose: frames of lines become lines of frames.
  @_noLocks @inline(__always)
  func turned() -> ReverbQuad {
    let (even, odd) = (rt_interleave_low(a, c), rt_interleave_low(b, d))
    let (even2, odd2) = (rt_interleave_high(a, c), rt_interleave_high(b, d))
    return ReverbQuad(
      rt_interleave_low(even, odd), rt_interleave_high(even, odd), rt_interleave_low(even2, odd2),
      rt_interleave_high(even2, odd2))
  }
}
