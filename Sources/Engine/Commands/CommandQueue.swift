internal import DSP
internal import Synchronization

/// The queue into the audio thread: many control threads write, the audio thread reads.
///
/// Each command holds a *credit* from the moment it is written until the control side has read its event. A
/// command with a credit has a slot in this queue, in the schedule of the engine and in the event queue:
/// none of them can overflow, and only `submit` can refuse. A batch is written completely or not at all, and
/// the reader sees it completely or not at all.
package struct CommandQueue: ~Copyable, @unchecked Sendable {
  /// The maximum number of commands in progress.
  package let capacity: Int
  /// The maximum number of commands in one batch.
  package static let largestBatch = 4096

  private let buffers = Buffers()
  private let slots: UnsafeMutablePointer<Command>
  // For each slot, the number after that of the command in it: written after the command (releasing), read
  // before it (acquiring).
  private let published: AtomicArray<UInt64>
  private let mask: UInt64
  private let tail = Atomic<UInt64>(0)
  private let credits: Atomic<Int>

  /// Creates a queue for `capacity` commands, a power of two.
  package init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a power of two")
    self.capacity = capacity
    mask = UInt64(capacity - 1)
    slots = buffers.filled(with: Command(.sync(0)), count: capacity)
    published = AtomicArray(repeating: 0, count: capacity)
    credits = Atomic(capacity)
  }

  /// Writes a batch of commands.
  ///
  /// Returns the number of the first, or nil if there is no room for all of them. Any thread. Never
  /// waits.
  package borrowing func submit(_ batch: [Command]) -> UInt64? {
    precondition(batch.count <= Self.largestBatch)
    guard !batch.isEmpty, takeCredits(batch.count) else { return nil }
    // The credits guarantee that the slots are free. Relaxed, because the slot's own number publishes it.
    let first = tail.add(UInt64(batch.count), ordering: .relaxed).oldValue
    // From last to first: a reader that sees the first sees the others.
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
      // Acquiring: the reader's work on the slots is done when the credits return.
      let (exchanged, original) = credits.weakCompareExchange(
        expected: free, desired: free - count, ordering: .acquiring)
      if exchanged { return true }
      free = original
    }
    return false
  }

  /// Returns the credits of commands whose events have been read; control side.
  package borrowing func returnCredits(_ count: Int) {
    credits.add(count, ordering: .releasing)
  }

  /// The number of commands that fit.
  package var free: Int { credits.load(ordering: .relaxed) }

  /// The number of commands in progress: written, and their event not read yet.
  package var underWay: Int { capacity - credits.load(ordering: .relaxed) }

  /// The number after that of the last command; audio thread.
  var end: UInt64 { @_noLocks get { tail.load(ordering: .relaxed) } }

  /// Whether the command with this number was written; audio thread.
  @_noLocks
  borrowing func holds(number: UInt64) -> Bool {
    published[Int(truncatingIfNeeded: number & mask)].load(ordering: .acquiring) == number &+ 1
  }

  /// The command with this number, or nil if it was not written yet; audio thread.
  @_noLocks
  borrowing func command(number: UInt64) -> Command? {
    holds(number: number) ? slots[Int(truncatingIfNeeded: number & mask)] : nil
  }
}
