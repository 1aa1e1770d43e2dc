extension Int {
  /// Returns the smallest power of two that is at least `count`.
  package static func powerOfTwo(atLeast count: Int) -> Int {
    1 << (bitWidth - Swift.max(0, count - 1).leadingZeroBitCount)
  }
}
