internal import Synchronization

/// The controllers of a keyboard, and which of them are mapped to addresses.
///
/// One slot per controller holds its latest value: nothing can overflow, and a controller that
/// moved twice between two reads is reported once.
package struct PublishedControllers: ~Copyable, @unchecked Sendable {
  private let values = AtomicArray<UInt8>(repeating: Self.unknown, count: 128)
  // A bit a controller, 64 each.
  private let movedLow = Atomic<UInt64>(0), movedHigh = Atomic<UInt64>(0)
  private let boundLow = Atomic<UInt64>(0), boundHigh = Atomic<UInt64>(0)
  // The value of a controller before its first movement.
  private static var unknown: UInt8 { @_noLocks get { 255 } }

  init() {}

  /// Audio thread: takes a controller's new value.
  ///
  /// One that stays where it is has not moved.
  @_noLocks
  borrowing func move(_ controller: UInt8, to value: UInt8) {
    let place = Int(controller & 127)
    if values[place].load(ordering: .relaxed) == value { return }
    values[place].store(value, ordering: .relaxed)
    let bit = UInt64(1) &<< UInt64(place & 63)
    // Releasing: a reader that sees the bit sees the value.
    if place < 64 {
      movedLow.bitwiseOr(bit, ordering: .releasing)
    } else {
      movedHigh.bitwiseOr(bit, ordering: .releasing)
    }
  }

  /// Audio thread: whether a controller is mapped to an address, and has no other effect.
  @_noLocks
  borrowing func isBound(_ controller: UInt8) -> Bool {
    let place = Int(controller & 127)
    let bits =
      place < 64 ? boundLow.load(ordering: .relaxed) : boundHigh.load(ordering: .relaxed)
    return bits &>> UInt64(place & 63) & 1 == 1
  }

  /// Control side: those that moved since the last look, each with its newest value.
  package borrowing func takeMoved() -> [(controller: Int, value: Int)] {
    let low = movedLow.exchange(0, ordering: .acquiring)
    let high = movedHigh.exchange(0, ordering: .acquiring)
    if low | high == 0 { return [] }
    return (0..<128).compactMap { place in
      guard (place < 64 ? low : high) >> UInt64(place & 63) & 1 == 1 else { return nil }
      return (place, Int(values[place].load(ordering: .relaxed)))
    }
  }

  /// Control side: sets the mapped controllers; all of them during MIDI learn.
  package borrowing func bind(_ controllers: Set<Int>, isLearning: Bool = false) {
    var (low, high) = isLearning ? (UInt64.max, UInt64.max) : (0, 0)
    for place in controllers {
      if place < 64 { low |= 1 << UInt64(place) } else { high |= 1 << UInt64(place - 64) }
    }
    boundLow.store(low, ordering: .relaxed)
    boundHigh.store(high, ordering: .relaxed)
  }
}
