internal import DSP
internal import Synchronization

/// The journal of the loops on its way from the audio thread to a writer: a ring of records.
///
/// Pages are not copied: the audio thread holds them until the writer has read them. Neither waits.
package final class LoopJournal: @unchecked Sendable {
  /// The number of pages that are held at most: five seconds of overdubs on four loops, the longest
  /// disk stall without a backlog.
  package static let usualPages = 2048

  let mostPages: Int
  let ring: Ring<JournalEntry>
  private let snapshot = Atomic<UInt32>(0)
  // The memory of the present pool, and of former ones until their pages are read.
  private let memories = Mutex<[PageMemory]>([])
  // The reader's: the serial numbers of the history being read.
  private var history: [UInt32] = []

  /// Creates a journal that holds at most `pages` pages, a power of two, and four times as many records.
  package init(pages: Int = LoopJournal.usualPages) {
    mostPages = pages
    ring = Ring(capacity: 4 * pages, filler: JournalEntry(record: LoopRecord(.rate)))
  }

  /// The number of the requested snapshot; 0 for none.
  package var requestedSnapshot: UInt32 {
    // Relaxed, here and below: it publishes nothing but itself.
    @_noLocks get { snapshot.load(ordering: .relaxed) }
  }

  /// Requests a snapshot: the audio thread writes the whole state, and then its changes, unless this is
  /// the number of the present one; 0 makes it stop.
  package func request(snapshot number: UInt32) { snapshot.store(number, ordering: .relaxed) }

  /// Keeps the memory of a pool alive until its pages are read; no earlier pool is written from now on.
  func retain(_ memory: PageMemory) {
    dropFormerMemory()
    memories.withLock { $0.append(memory) }
  }

  private func dropFormerMemory() {
    memories.withLock { memories in
      // Nothing of former pools is written any more, so all of it is read if nothing is left now.
      if memories.count > 1, ring.first == nil { memories.removeFirst(memories.count - 1) }
    }
  }

  /// Passes the next record to `body`, with its page or the serial numbers of its history.
  ///
  /// Returns false if the journal is empty. Only one thread may call it.
  package func next<Fault: Error>(
    _ body: (LoopRecord, UnsafeRawBufferPointer) throws(Fault) -> Void
  ) throws(Fault) -> Bool {
    while let entry = ring.first {
      // The audio thread releases the page.
      defer { ring.removeFirst() }
      var record = entry.record
      guard record.kind == .history else {
        try body(record, UnsafeRawBufferPointer(start: entry.samples, count: record.bytes))
        return true
      }
      history.append(record.serial)
      guard history.count == Int(record.count) else { continue }
      record.serial = 0
      let serials = history
      history = []
      try serials.withUnsafeBufferPointer { bytes throws(Fault) in
        try body(record, UnsafeRawBufferPointer(bytes))
      }
      return true
    }
    dropFormerMemory()
    return false
  }
}

/// An entry of the ring: a record, and the page that belongs to it.
///
/// A history has an entry for each version.
struct JournalEntry: BitwiseCopyable, @unchecked Sendable {
  var record: LoopRecord
  var page: Int32 = -1
  var samples: UnsafePointer<Float>?
}

/// The audio thread's end of a journal.
package struct JournalInlet: ~Copyable {
  private let journal: LoopJournal
  private var holds: PageHolds?
  // The number of entries written, and of those whose pages are released.
  private var written = 0
  private var released = 0
  private var heldPages = 0
  // Pages of earlier entries belong to a former pool.
  private var firstOfPool = 0
  /// The work left in this block, in page comparisons.
  var budget = 0

  /// Creates the only inlet of a journal.
  package init(_ journal: LoopJournal) { self.journal = journal }

  /// Continues with the pages of another pool.
  mutating func use(_ pool: ClipPool) {
    journal.retain(pool.memory)
    holds = pool.holds
    firstOfPool = written
  }

  /// The number of the requested snapshot; 0 for none.
  var requestedSnapshot: UInt32 { @_noLocks get { journal.requestedSnapshot } }

  /// Whether it holds pages.
  var isHolding: Bool { @_noLocks get { heldPages > 0 } }

  /// The number of records that can be written.
  package var room: Int { @_noLocks get { 4 &* journal.mostPages &- (written &- released) } }

  /// The number of pages that can be written.
  package var pageRoom: Int { @_noLocks get { min(room, journal.mostPages &- heldPages) } }

  /// Releases the pages of entries that were read, at most `most`.
  @_noLocks
  package mutating func release(most: Int) {
    let end = min(journal.ring.doneCount, released &+ most)
    while released < end {
      let page = journal.ring.page(at: released)
      if page >= 0 {
        heldPages &-= 1
        if let holds, released >= firstOfPool { holds.release(page) }
      }
      released &+= 1
    }
  }

  /// Writes a record, and holds its page if it has one.
  ///
  /// Returns false if there is no room.
  @_noLocks
  package mutating func write(
    _ record: LoopRecord, page: Int32 = -1, _ samples: UnsafePointer<Float>? = nil
  ) -> Bool {
    let entry = JournalEntry(record: record, page: page, samples: samples)
    if (page < 0 ? room : pageRoom) == 0 || !journal.ring.push(entry) { return false }
    written &+= 1
    if page < 0 { return true }
    heldPages &+= 1
    if let holds { holds.hold(page) }
    return true
  }
}
