/// Unaligned loads and stores of four and eight floats.
extension UnsafePointer<Float> {
  @_noLocks @inline(__always)
  func four(at index: Int) -> SIMD4<Float> {
    UnsafeRawPointer(self).loadUnaligned(fromByteOffset: index &* 4, as: SIMD4<Float>.self)
  }

  @_noLocks @inline(__always)
  func eight(at index: Int) -> SIMD8<Float> {
    UnsafeRawPointer(self).loadUnaligned(fromByteOffset: index &* 4, as: SIMD8<Float>.self)
  }
}

extension UnsafeMutablePointer<Float> {
  @_noLocks @inline(__always)
  func four(at index: Int) -> SIMD4<Float> { UnsafePointer(self).four(at: index) }

  @_noLocks @inline(__always)
  func setFour(at index: Int, _ numbers: SIMD4<Float>) {
    UnsafeMutableRawPointer(self).storeBytes(
      of: numbers, toByteOffset: index &* 4, as: SIMD4<Float>.self)
  }

  @_noLocks @inline(__always)
  func eight(at index: Int) -> SIMD8<Float> { UnsafePointer(self).eight(at: index) }

  @_noLocks @inline(__always)
  func setEight(at index: Int, _ numbers: SIMD8<Float>) {
    UnsafeMutableRawPointer(self).storeBytes(
      of: numbers, toByteOffset: index &* 4, as: SIMD8<Float>.self)
  }
}
