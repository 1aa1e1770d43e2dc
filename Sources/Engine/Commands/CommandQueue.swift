internal import Synchronization

/// The way into the audio thread: many control threads write, the audio thread reads.
///
/// Each command holds a *credit* from the moment it is written until the control side has read
/// the event that it led to. So a command that found a credit has a place in this queue, in the
/// engine's schedule and in the event queue: none of them can overflow, and only `submit` can
/// refuse. A batch goes in whole or not at all, and the reader sees it whole or not at all.
package struct CommandQueue: ~Copyable, @unchecked Sendable {
  /// How many commands can be under way.
  package let capacity: Int
  /// The greatest number of commands in one batch.
  package static let largestBatch = 4096

  private let slots: UnsafeMutablePointer<Command>
  // For each slot, the number after that of the command it holds: written after the command
  // (releasing), read before it (acquiring).
  private let published: UnsafeMutablePointer<Atomic<UInt64>>
  private let mask: UInt64
  private let tail = Atomic<UInt64>(0)
  private let credits: Atomic<Int>

  /// A queue for `capacity` commands, a power of two.
  package init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a power of two")
    self.capacity = capacity
    mask = UInt64(capacity - 1)
    slots = .allocate(capacity: capacity)
    slots.initialize(repeating: Command(.sync(0)), count: capacity)
    published = .allocate(capacity: capacity)
    for index in 0..<capacity { (published + index).initialize(to: Atomic(0)) }
    credits = Atomic(capacity)
  }

  deinit {
    slots.deallocate()
    published.deinitialize(count: capacity)
    published.deallocate()
  }

  /// Hands over a batch of commands and returns the number of its first one, or nil where there is
  /// no room for all of it.
  ///
  /// Any thread; never waits.
  package borrowing func submit(_ batch: [Command]) -> UInt64? {
    precondition(batch.count <= Self.largestBatch)
    guard !batch.isEmpty, takeCredits(batch.count) else { return nil }
    // The credits guarantee that the slots are free; relaxed, because the slot's own number is
    // what publishes it.
    let first = tail.add(UInt64(batch.count), ordering: .relaxed).oldValue
    // From last to first: when the reader sees the first, the others are there.
    for index in batch.indices.reversed() {
      let number = first + UInt64(index)
      let slot = Int(number & mask)
      slots[slot] = batch[index]
      slots[slot].following = UInt16(batch.count - 1 - index)
      published[slot].store(number + 1, ordering: .releasing)
    }
    return first
  }

  private borrowing func takeCredits(_ count: Int) -> Bool {
    var free = credits.load(ordering: .relaxed)
    while free >= count {
      // Acquiring: what the reader did with the slots happened before the credits came back.
      let (exchanged, original) = credits.weakCompareExchange(
        expected: free, desired: free - count, ordering: .acquiring)
      if exchanged { return true }
      free = original
    }
    return false
  }

  /// Gives back the credits of commands whose events have been read.
  ///
  /// Control side.
  package borrowing func returnCredits(_ count: Int) {
    credits.add(count, ordering: .releasing)
  }

  /// How many more commands there is room for.
  package var free: Int { credits.load(ordering: .relaxed) }

  /// How many commands are under way: written, and their event not yet read.
  package var underWay: Int { capacity - credits.load(ordering: .relaxed) }

  /// The command with this number, or nil when it has not come yet.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func command(number: UInt64) -> Command? {
    let slot = Int(truncatingIfNeeded: number & mask)
    guard published[slot].load(ordering: .acquiring) == number &+ 1 else { return nil }
    return slots[slot]
  }
}
