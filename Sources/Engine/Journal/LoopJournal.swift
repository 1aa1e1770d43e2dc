package import DSP
internal import Synchronization

/// The journal of the loops on its way from the audio thread to a writer: a ring of records.
///
/// Pages are not copied: the audio thread holds them until the writer has read them. Neither waits.
package final class LoopJournal: @unchecked Sendable {
  /// The number of pages that are held at most: five seconds of overdubs on four loops, the longest
  /// disk stall without a backlog.
  package static let usualPages = 2048

  fileprivate let ring: JournalRing
  // The memory of the present pool, and of former ones until their pages are read.
  private let memories = Mutex<[PageMemory]>([])
  // The reader's: the serial numbers of the history being read.
  private var history: [UInt32] = []

  /// Creates a journal that holds at most `pages` pages, and has four times as many records, both rounded
  /// up to a power of two.
  package init(pages: Int = LoopJournal.usualPages) {
    var size = 1
    while size < pages { size *= 2 }
    ring = JournalRing(pages: size)
  }

  deinit { ring.free() }

  /// The number of the requested snapshot; 0 for none.
  package var requestedSnapshot: UInt32 { ring.progress.pointee.snapshot.load(ordering: .relaxed) }

  /// Requests a snapshot: the audio thread writes the whole state, and then its changes, unless this is
  /// the number of the present one; 0 makes it stop.
  package func request(snapshot: UInt32) {
    // Relaxed: it publishes nothing but itself.
    ring.progress.pointee.snapshot.store(snapshot, ordering: .relaxed)
  }

  /// Keeps the memory of a pool alive until its pages are read; no earlier pool is written from now on.
  func retain(_ memory: PageMemory) { memories.withLock { $0.append(memory) } }

  /// Passes the next record to `body`, with its page or the serial numbers of its history.
  ///
  /// Returns false if there is none. For one thread.
  package func next<Fault: Error>(
    _ body: (LoopRecord, UnsafeRawBufferPointer) throws(Fault) -> Void
  ) throws(Fault) -> Bool {
    while true {
      let read = ring.progress.pointee.read.load(ordering: .relaxed)
      // Acquiring: the entry is complete, and its page.
      guard ring.progress.pointee.written.load(ordering: .acquiring) != read else {
        releaseFormerMemory()
        return false
      }
      // Releasing: the entry and its page are done with.
      defer { ring.progress.pointee.read.store(read + 1, ordering: .releasing) }
      let entry = ring.entries[read & ring.mask]
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
      let result = serials.withUnsafeBytes { bytes in
        Result { () throws(Fault) in try body(record, bytes) }
      }
      try result.get()
      return true
    }
  }

  private func releaseFormerMemory() {
    memories.withLock { memories in
      // Of former pools nothing is written any more, so everything is read if nothing is left now.
      if memories.count > 1,
        ring.progress.pointee.written.load(ordering: .acquiring)
          == ring.progress.pointee.read.load(ordering: .relaxed)
      {
        memories.removeFirst(memories.count - 1)
      }
    }
  }
}

/// An entry of the ring: a record, and the page that belongs to it.
private struct JournalEntry: BitwiseCopyable {
  var record: LoopRecord
  var page: Int32 = -1
  var samples: UnsafePointer<Float>?

  @_noLocks
  init(_ record: LoopRecord) { self.record = record }
}

/// The memory of the ring.
private struct JournalRing: BitwiseCopyable, @unchecked Sendable {
  let mostPages: Int
  let mask: Int
  let entries: UnsafeMutablePointer<JournalEntry>
  let progress: UnsafeMutablePointer<JournalProgress>

  init(pages: Int) {
    mostPages = pages
    mask = 4 * pages - 1
    entries = .allocate(capacity: 4 * pages)
    // Touches the memory, so that the audio thread takes no page fault.
    entries.initialize(repeating: JournalEntry(LoopRecord(.rate)), count: 4 * pages)
    progress = .allocate(capacity: 1)
    progress.initialize(to: JournalProgress())
  }

  func free() {
    entries.deallocate()
    progress.deinitialize(count: 1)
    progress.deallocate()
  }
}

/// The progress that both threads share.
private struct JournalProgress: ~Copyable {
  /// The number of entries written, and read.
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  let snapshot = Atomic<UInt32>(0)
}

/// The audio thread's end of a journal.
///
/// There is one; it is valid as long as the journal.
package struct JournalInlet: BitwiseCopyable, @unchecked Sendable {
  private let ring: JournalRing
  private var holds: PageHolds?
  // The number of entries written, and of those whose pages are released.
  private var written = 0
  private var released = 0
  private var heldPages = 0
  // Pages of earlier entries belong to a former pool.
  private var firstOfPool = 0
  /// The work left in this block, in page comparisons.
  var budget = 0

  /// The inlet of a journal, for pages with these holds.
  package init(_ journal: LoopJournal, holds: PageHolds? = nil) {
    ring = journal.ring
    self.holds = holds
  }

  /// Continues with the pages of another pool.
  mutating func setHolds(_ holds: PageHolds) {
    self.holds = holds
    firstOfPool = written
  }

  /// The number of the requested snapshot; 0 for none.
  var requestedSnapshot: UInt32 {
    // Relaxed: it publishes nothing but itself.
    @_noLocks get { ring.progress.pointee.snapshot.load(ordering: .relaxed) }
  }

  /// Whether there are entries whose pages aren't released.
  var isHolding: Bool { @_noLocks get { heldPages > 0 } }

  /// The number of records that can be written.
  package var room: Int { @_noLocks get { ring.mask &+ 1 &- (written &- released) } }

  /// The number of pages that can be written.
  package var pageRoom: Int { @_noLocks get { min(room, ring.mostPages &- heldPages) } }

  /// Releases the pages of entries that were read, at most `most`.
  @_noLocks
  package mutating func release(most: Int) {
    // Acquiring: the reader is done with the entries.
    let read = ring.progress.pointee.read.load(ordering: .acquiring)
    let end = min(read, released &+ most)
    while released < end {
      let page = ring.entries[released & ring.mask].page
      if page >= 0 {
        heldPages &-= 1
        if let holds, released >= firstOfPool { holds.release(page) }
      }
      released &+= 1
    }
  }

  /// Writes a record without a page.
  ///
  /// Returns false if there is no room.
  @_noLocks
  package mutating func write(_ record: LoopRecord) -> Bool {
    if room == 0 { return false }
    write(JournalEntry(record))
    return true
  }

  /// Writes a record with a page, and holds that.
  ///
  /// Returns false if there is no room.
  @_noLocks
  package mutating func write(
    _ record: LoopRecord, page: Int32, _ samples: UnsafePointer<Float>
  ) -> Bool {
    if pageRoom == 0 { return false }
    var entry = JournalEntry(record)
    entry.page = page
    entry.samples = samples
    heldPages &+= 1
    if let holds { holds.hold(page) }
    write(entry)
    return true
  }

  @_noLocks
  private mutating func write(_ entry: JournalEntry) {
    ring.entries[written & ring.mask] = entry
    written &+= 1
    // Releasing: publishes the entry and its page.
    ring.progress.pointee.written.store(written, ordering: .releasing)
  }
}
