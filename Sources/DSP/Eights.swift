/// Unaligned loads and stores of eight floats.
extension UnsafePointer<Float> {
  @_noLocks @inline(__always)
  func eight(at index: Int) -> SIMD8<Float> {
    UnsafeRawPointer(self).loadUnaligned(fromByteOffset: index &* 4, as: SIMD8<Float>.self)
  }
}

extension UnsafeMutablePointer<Float> {
  @_noLocks @inline(__always)
  func eight(at index: Int) -> SIMD8<Float> { UnsafePointer(self).eight(at: index) }

  @_noLocks @inline(__always)
  func setEight(at index: Int, _ numbers: SIMD8<Float>) {
    UnsafeMutableRawPointer(self).storeBytes(
      of: numbers, toByteOffset: index &* 4, as: SIMD8<Float>.self)
  }
}
