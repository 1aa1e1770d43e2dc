internal import Synchronization

/// The way out of the audio thread: it writes, one control thread reads.
package struct EventQueue: ~Copyable, @unchecked Sendable {
  private let slots: UnsafeMutablePointer<Event>
  private let capacity: Int
  private let mask: UInt64
  private let written = Atomic<UInt64>(0)
  private let read = Atomic<UInt64>(0)

  /// A queue for `capacity` events, a power of two.
  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a power of two")
    self.capacity = capacity
    mask = UInt64(capacity - 1)
    slots = .allocate(capacity: capacity)
    slots.initialize(repeating: Event(kind: .faded, command: 0, wasTimed: false), count: capacity)
  }

  deinit { slots.deallocate() }

  /// Writes one event; false when there is no room.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func push(_ event: Event) -> Bool {
    let position = written.load(ordering: .relaxed)
    // Acquiring: the reader is done with the slot.
    guard position &- read.load(ordering: .acquiring) < UInt64(capacity) else { return false }
    slots[Int(truncatingIfNeeded: position & mask)] = event
    written.store(position &+ 1, ordering: .releasing)  // publishes the slot
    return true
  }

  /// How many events have been written so far.
  var writtenCount: UInt64 { @_noLocks get { written.load(ordering: .relaxed) } }

  /// How many of them have been read so far.
  var readCount: UInt64 { read.load(ordering: .relaxed) }

  /// Removes and returns the oldest event.
  ///
  /// One control thread at a time.
  borrowing func pop() -> Event? {
    let position = read.load(ordering: .relaxed)
    // Acquiring: the writer has filled the slot.
    guard position != written.load(ordering: .acquiring) else { return nil }
    let event = slots[Int(position & mask)]
    read.store(position + 1, ordering: .releasing)  // frees the slot
    return event
  }
}
