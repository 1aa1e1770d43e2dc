/// A bit for each of the loops, counted from 0.
package struct LoopBits: BitwiseCopyable, Sendable {
  /// The bits, the lowest of which is the first loop's.
  package private(set) var bits: UInt32

  /// The loops of these bits.
  @_noLocks
  package init(_ bits: UInt32) { self.bits = bits }

  /// The first so many loops.
  @_noLocks
  init(count: Int) { bits = 1 &<< UInt32(truncatingIfNeeded: count) &- 1 }

  /// No loop.
  package static var none: LoopBits { @_noLocks get { LoopBits(0) } }
  /// All that there can be.
  package static var all: LoopBits { @_noLocks get { LoopBits(.max) } }

  /// Whether there is none.
  package var isEmpty: Bool { @_noLocks get { bits == 0 } }

  /// Whether a loop is one of them.
  @_noLocks
  package func contains(_ index: Int) -> Bool { bits & Self.bit(index) != 0 }

  /// Those before a loop.
  @_noLocks
  func first(_ count: Int) -> LoopBits { LoopBits(bits & LoopBits(count: count).bits) }

  /// Removes the first of them, and returns it; nil where there is none.
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

  /// Those that are in one of both.
  @_noLocks
  package func union(_ other: LoopBits) -> LoopBits { LoopBits(bits | other.bits) }

  /// Those that are not in the other.
  @_noLocks
  package func subtracting(_ other: LoopBits) -> LoopBits { LoopBits(bits & ~other.bits) }

  @_noLocks
  private static func bit(_ index: Int) -> UInt32 { 1 &<< UInt32(truncatingIfNeeded: index) }
}
