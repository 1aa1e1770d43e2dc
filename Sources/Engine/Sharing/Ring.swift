internal import DSP
internal import Synchronization

/// A queue of fixed size from one thread to one other.
///
/// Neither waits.
struct Ring<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  private let buffers = Buffers()
  private let slots: UnsafeMutablePointer<Element>
  private let capacity: Int
  private let mask: UInt64
  fileprivate let written = Atomic<UInt64>(0)
  private let read = Atomic<UInt64>(0)

  /// Creates a ring for `capacity` elements, a power of two, whose memory is filled with `filler`.
  init(capacity: Int, filler: Element) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a power of two")
    self.capacity = capacity
    mask = UInt64(capacity - 1)
    slots = buffers.filled(with: filler, count: capacity)
  }

  fileprivate var isRoom: Bool {
    // Acquiring: the reader is done with the slot.
    written.load(ordering: .relaxed) &- read.load(ordering: .acquiring) < UInt64(capacity)
  }

  fileprivate borrowing func write(_ element: Element) -> Bool {
    guard isRoom else { return false }
    let position = written.load(ordering: .relaxed)
    slots[Int(truncatingIfNeeded: position & mask)] = element
    written.store(position &+ 1, ordering: .releasing)  // publishes the slot
    return true
  }

  /// The number of elements read so far.
  var readCount: UInt64 { read.load(ordering: .relaxed) }

  /// The oldest element, or nil.
  var first: Element? {
    let position = read.load(ordering: .relaxed)
    // Acquiring: the writer has filled the slot.
    guard position != written.load(ordering: .acquiring) else { return nil }
    return slots[Int(truncatingIfNeeded: position & mask)]
  }

  /// Removes the oldest element.
  borrowing func removeFirst() { read.add(1, ordering: .releasing) }  // frees the slot

  /// Removes and returns the oldest element, if it is ready.
  borrowing func pop(where isReady: (Element) -> Bool = { _ in true }) -> Element? {
    guard let element = first, isReady(element) else { return nil }
    removeFirst()
    return element
  }
}

// The writer. Concrete, because the real-time check can't look into generic code of another file.

extension Ring where Element == Event {
  /// Writes an event; false if there is no room.
  @_noLocks
  borrowing func push(_ event: Event) -> Bool { write(event) }

  /// The number of events written so far.
  var writtenCount: UInt64 { @_noLocks get { written.load(ordering: .relaxed) } }
}

extension Ring where Element == PressNews {
  /// Whether there is room for another element.
  var hasRoom: Bool { @_noLocks get { isRoom } }

  /// Writes an element; false if there is no room.
  @_noLocks
  borrowing func push(_ news: PressNews) -> Bool { write(news) }
}

extension Ring where Element == JournalEntry {
  /// Writes an entry; false if there is no room.
  @_noLocks
  borrowing func push(_ entry: JournalEntry) -> Bool { write(entry) }

  /// The number of entries that the reader is done with.
  var doneCount: Int {
    // Acquiring: it is done with their pages, too.
    @_noLocks get { Int(read.load(ordering: .acquiring)) }
  }

  /// The page of an entry that was read and not overwritten yet.
  @_noLocks
  borrowing func page(at position: Int) -> Int32 { slots[position & Int(mask)].page }
}
