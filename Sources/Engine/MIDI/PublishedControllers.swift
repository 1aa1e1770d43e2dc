internal import Synchronization

/// The controllers of a keyboard, and which of them are mapped to addresses.
///
/// One slot per controller holds its latest value: nothing can overflow, and a controller that
/// moved twice between two reads is reported once.
package struct PublishedControllers: ~Copyable, @unchecked Sendable {
  private let values = AtomicArray<UInt8>(repeating: Self.unknown, count: 128)
  // One bit per controller, 64 in each word.
  private let moved = AtomicArray<UInt64>(repeating: 0, count: 2)
  private let bound = AtomicArray<UInt64>(repeating: 0, count: 2)
  // The value of a controller before its first movement.
  private static var unknown: UInt8 { @_noLocks get { 255 } }

  /// Audio thread: takes a controller's new value.
  ///
  /// An equal value is no movement.
  @_noLocks
  borrowing func move(_ controller: UInt8, to value: UInt8) {
    let place = Int(controller & 127)
    if values[place].load(ordering: .relaxed) == value { return }
    values[place].store(value, ordering: .relaxed)
    // Releasing: a reader that sees the bit sees the value.
    moved[place >> 6].bitwiseOr(1 &<< UInt64(place & 63), ordering: .releasing)
  }

  /// Audio thread: whether a controller is mapped to an address, and has no other effect.
  @_noLocks
  borrowing func isBound(_ controller: UInt8) -> Bool {
    let place = Int(controller & 127)
    return bound[place >> 6].load(ordering: .relaxed) &>> UInt64(place & 63) & 1 == 1
  }

  /// Control side: the controllers that moved since the last call, each with its latest value.
  package borrowing func takeMoved() -> [(controller: Int, value: Int)] {
    let bits = (0..<2).map { moved[$0].exchange(0, ordering: .acquiring) }
    if bits == [0, 0] { return [] }
    return (0..<128).compactMap { place in
      guard bits[place >> 6] >> UInt64(place & 63) & 1 == 1 else { return nil }
      return (place, Int(values[place].load(ordering: .relaxed)))
    }
  }

  /// Control side: sets the mapped controllers; all of them during MIDI learn.
  package borrowing func bind(_ controllers: Set<Int>, isLearning: Bool = false) {
    var bits = [UInt64](repeating: isLearning ? .max : 0, count: 2)
    for place in controllers { bits[place >> 6] |= 1 << UInt64(place & 63) }
    for index in 0..<2 { bound[index].store(bits[index], ordering: .relaxed) }
  }
}
