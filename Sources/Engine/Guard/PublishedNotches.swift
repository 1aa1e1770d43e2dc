internal import DSP
internal import Synchronization

/// The notches of the guard against howling: the audio thread stores them, control threads look.
package struct PublishedNotches: ~Copyable, @unchecked Sendable {
  /// A notch.
  package struct Notch: Equatable, Sendable {
    /// The middle, in Hz.
    package let hertz: Float
    /// The level that it leaves there, in dB.
    package let decibels: Float
  }

  // Both floats of a notch in one word, 0 where there is none. Relaxed: each is whole in itself, and
  // whoever reads them looks again.
  private let words: UnsafeMutablePointer<Atomic<UInt64>>

  init() {
    words = .allocate(capacity: HowlGuard.mostNotches)
    for index in 0..<HowlGuard.mostNotches { (words + index).initialize(to: Atomic(0)) }
  }

  deinit {
    words.deinitialize(count: HowlGuard.mostNotches)
    words.deallocate()
  }

  /// Stores what is in one of the places; 0 Hz where there is none.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func store(_ index: Int, hertz: Float, decibels: Float) {
    let word = UInt64(hertz.bitPattern) &<< 32 | UInt64(decibels.bitPattern)
    words[index].store(hertz > 0 ? word : 0, ordering: .relaxed)
  }

  /// The notches that there are, from the lowest on.
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
