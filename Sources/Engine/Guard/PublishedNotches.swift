internal import DSP
internal import Synchronization

/// The notches of the feedback guard, published by the audio thread.
package struct PublishedNotches: ~Copyable, @unchecked Sendable {
  /// A notch.
  package struct Notch: Equatable, Sendable {
    /// The center frequency, in Hz.
    package let hertz: Float
    /// The gain at the center, in dB.
    package let decibels: Float
  }

  // Both floats of a notch in one word, 0 for none. Relaxed: each is independent, and readers poll.
  private let words = AtomicArray<UInt64>(repeating: 0, count: HowlGuard.mostNotches)

  /// Stores the notch at an index; 0 Hz for none.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func store(_ index: Int, hertz: Float, decibels: Float) {
    let word = UInt64(hertz.bitPattern) &<< 32 | UInt64(decibels.bitPattern)
    words[index].store(hertz > 0 ? word : 0, ordering: .relaxed)
  }

  /// The notches, from the lowest frequency.
  ///
  /// Any thread.
  package borrowing func all() -> [Notch] {
    var notches: [Notch] = []
    for index in 0..<HowlGuard.mostNotches {
      let word = words[index].load(ordering: .relaxed)
      if word == 0 { continue }
      notches.append(
        Notch(
          hertz: Float(bitPattern: UInt32(word >> 32)),
          decibels: Float(bitPattern: UInt32(truncatingIfNeeded: word))))
    }
    return notches.sorted { $0.hertz < $1.hertz }
  }
}
