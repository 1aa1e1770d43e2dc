/// A set of loops, one bit each.
package struct LoopBits: BitwiseCopyable, Sendable {
  /// The bits.
  ///
  /// The lowest one is the first loop.
  package private(set) var bits: UInt32

  /// Creates a set from bits.
  @_noLocks
  package init(_ bits: UInt32) { self.bits = bits }

  /// Creates a set of the first `count` loops.
  @_noLocks
  init(count: Int) { bits = 1 &<< UInt32(truncatingIfNeeded: count) &- 1 }

  /// The empty set.
  package static var none: LoopBits { @_noLocks get { LoopBits(0) } }
  /// The set of all possible loops.
  package static var all: LoopBits { @_noLocks get { LoopBits(.max) } }

  /// Whether the set is empty.
  package var isEmpty: Bool { @_noLocks get { bits == 0 } }

  /// Whether the set contains a loop.
  @_noLocks
  package func contains(_ index: Int) -> Bool { bits & Self.bit(index) != 0 }

  /// The subset of loops before a loop.
  @_noLocks
  func first(_ count: Int) -> LoopBits { LoopBits(bits & LoopBits(count: count).bits) }

  /// Removes and returns the first loop, or nil.
  @_noLocks
  mutating func popFirst() -> Int? {
    if bits == 0 { return nil }
    defer { bits &= bits &- 1 }
    return bits.trailingZeroBitCount
  }

  /// Adds a loop.
  @_noLocks
  package mutating func insert(_ index: Int) { bits |= Self.bit(index) }

  /// Removes a loop.
  @_noLocks
  package mutating func remove(_ index: Int) { bits &= ~Self.bit(index) }

  /// The union with another set.
  @_noLocks
  package func union(_ other: LoopBits) -> LoopBits { LoopBits(bits | other.bits) }

  /// The difference to another set.
  @_noLocks
  package func subtracting(_ other: LoopBits) -> LoopBits { LoopBits(bits & ~other.bits) }

  @_noLocks
  private static func bit(_ index: Int) -> UInt32 { 1 &<< UInt32(truncatingIfNeeded: index) }
}
