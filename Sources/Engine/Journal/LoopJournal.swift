internal import CRealtime
internal import Synchronization

/// What becomes of the loops, on its way from the audio thread to a disk.
///
/// The audio thread writes, one other thread reads, and neither waits for the other. All of the
/// memory is there from the start.
package final class LoopJournal: @unchecked Sendable {
  // Five seconds of four loops that are all added to: so long may a disk stall.
  private static let usualPages = 2048

  private let memory: JournalMemory

  /// A journal with room for so many pages, and four times as many records; both are made powers of
  /// two.
  package init(pages: Int = LoopJournal.usualPages) {
    var size = 1
    while size < pages { size *= 2 }
    memory = JournalMemory(pages: size, records: 4 * size)
  }

  deinit { memory.free() }

  /// The pointer that the audio thread is given.
  package var pointer: LoopJournalPointer { LoopJournalPointer(memory: memory) }

  /// The number of the telling that is wanted; 0 where none is.
  package var wanted: UInt32 { memory.progress.pointee.wanted.load(ordering: .relaxed) }

  /// Wants a telling of this number: the audio thread begins anew with all that there is, unless that
  /// is the telling that it is at; 0 wants none.
  package func want(_ telling: UInt32) {
    // Relaxed: it publishes nothing but itself.
    memory.progress.pointee.wanted.store(telling, ordering: .relaxed)
  }

  /// Hands over the next record, with the bytes that belong to it: the page, or the serial numbers of
  /// a history; false where there is none.
  ///
  /// One thread.
  package func take<Fault: Error>(
    _ body: (LoopRecord, UnsafeRawBufferPointer) throws(Fault) -> Void
  ) throws(Fault) -> Bool {
    let progress = memory.progress
    let read = progress.pointee.recordsRead.load(ordering: .relaxed)
    // Acquiring: the record is there, and its page.
    guard progress.pointee.recordsWritten.load(ordering: .acquiring) != read else { return false }
    let record = memory.records[read & (memory.recordCapacity - 1)]
    let page = progress.pointee.pagesRead.load(ordering: .relaxed)
    let bytes = record.bytes
    try body(
      record,
      UnsafeRawBufferPointer(
        start: memory.pages + (page & (memory.pageCapacity - 1)) * LoopRecord.pageBytes,
        count: bytes))
    // Releasing: what was read there is done with.
    if bytes > 0 { progress.pointee.pagesRead.store(page + 1, ordering: .releasing) }
    progress.pointee.recordsRead.store(read + 1, ordering: .releasing)
    return true
  }
}

extension LoopRecord {
  /// How many bytes belong to it.
  package var bytes: Int {
    switch kind {
    case .page: LoopRecord.pageBytes
    case .history: 4 * Int(count)
    default: 0
    }
  }
}

/// The memory of a journal.
struct JournalMemory: BitwiseCopyable, @unchecked Sendable {
  let pages: UnsafeMutableRawPointer
  let pageCapacity: Int
  let records: UnsafeMutablePointer<LoopRecord>
  let recordCapacity: Int
  let progress: UnsafeMutablePointer<JournalProgress>

  init(pages: Int, records: Int) {
    pageCapacity = pages
    recordCapacity = records
    self.pages = .allocate(byteCount: pages * LoopRecord.pageBytes, alignment: 64)
    // Touched now: the audio thread shall not be the first.
    self.pages.initializeMemory(
      as: UInt8.self, repeating: 0, count: pages * LoopRecord.pageBytes)
    self.records = .allocate(capacity: records)
    self.records.initialize(repeating: LoopRecord(.rate), count: records)
    progress = .allocate(capacity: 1)
    progress.initialize(to: JournalProgress())
  }

  func free() {
    pages.deallocate()
    records.deallocate()
    progress.deinitialize(count: 1)
    progress.deallocate()
  }
}

/// The progress of a journal, which both sides know.
struct JournalProgress: ~Copyable {
  /// Records and pages written and read since the beginning.
  let recordsWritten = Atomic<Int>(0)
  let recordsRead = Atomic<Int>(0)
  let pagesWritten = Atomic<Int>(0)
  let pagesRead = Atomic<Int>(0)
  let wanted = Atomic<UInt32>(0)
}

/// A pointer to the parts of a journal, as the audio thread is given it.
///
/// What finds no room is not written, and returns false. It holds for as long
/// as the journal.
package struct LoopJournalPointer: BitwiseCopyable, @unchecked Sendable {
  fileprivate let memory: JournalMemory

  /// The number of the telling that is wanted; 0 where none is.
  var wanted: UInt32 {
    // Relaxed: it publishes nothing but itself.
    @_noLocks get { memory.progress.pointee.wanted.load(ordering: .relaxed) }
  }

  /// For how many pages there is room.
  package var room: Int {
    @_noLocks get {
      min(pagesLeft, recordsLeft)
    }
  }

  private var pagesLeft: Int {
    @_noLocks get {
      // Acquiring: the reader is done with the place.
      memory.pageCapacity
        &- (memory.progress.pointee.pagesWritten.load(ordering: .relaxed)
          &- memory.progress.pointee.pagesRead.load(ordering: .acquiring))
    }
  }

  private var recordsLeft: Int {
    @_noLocks get {
      // Acquiring: the reader is done with the place.
      memory.recordCapacity
        &- (memory.progress.pointee.recordsWritten.load(ordering: .relaxed)
          &- memory.progress.pointee.recordsRead.load(ordering: .acquiring))
    }
  }

  /// The place of the next page.
  private var nextPage: UnsafeMutableRawPointer {
    @_noLocks get {
      let written = memory.progress.pointee.pagesWritten.load(ordering: .relaxed)
      return memory.pages + (written & (memory.pageCapacity &- 1)) &* LoopRecord.pageBytes
    }
  }

  @_noLocks
  private func write(_ record: LoopRecord, withPage hasPage: Bool = false) {
    let written = memory.progress.pointee.recordsWritten.load(ordering: .relaxed)
    memory.records[written & (memory.recordCapacity &- 1)] = record
    if hasPage {
      // Relaxed: what comes next publishes it.
      memory.progress.pointee.pagesWritten.add(1, ordering: .relaxed)
    }
    // Releasing: publishes the record and its page.
    memory.progress.pointee.recordsWritten.store(written &+ 1, ordering: .releasing)
  }

  // MARK: - Records

  /// Writes the rate of all that follows, in Hz, at the beginning of a telling.
  @_noLocks
  package func rate(_ hertz: Int, telling: UInt32) -> Bool {
    if recordsLeft == 0 { return false }
    var record = LoopRecord(.rate)
    record.frames = Int64(hertz)
    record.other = telling
    write(record)
    return true
  }

  /// Writes that a version of a slot is there, like another one, or empty where that is 0.
  @_noLocks
  package func begin(_ slot: Int, version serial: UInt32, like other: UInt32) -> Bool {
    if recordsLeft == 0 { return false }
    var record = LoopRecord(.begin, slot: slot)
    record.serial = serial
    record.other = other
    write(record)
    return true
  }

  /// Writes the sound of a page of a version.
  @_noLocks
  package func page(
    _ slot: Int, _ serial: UInt32, index: Int, left: UnsafePointer<Float>,
    right: UnsafePointer<Float>
  ) -> Bool {
    if room <= 0 { return false }
    let place = nextPage
    let half = LoopRecord.pageBytes / 2
    rt_copy_bytes(place, left, half)
    rt_copy_bytes(place + half, right, half)
    var record = LoopRecord(.page, slot: slot)
    record.serial = serial
    record.other = UInt32(truncatingIfNeeded: index)
    write(record, withPage: true)
    return true
  }

  /// Writes that so many pages of a version have no sound, from one on.
  @_noLocks
  package func hole(_ slot: Int, _ serial: UInt32, index: Int, pages: Int) -> Bool {
    if recordsLeft == 0 { return false }
    var record = LoopRecord(.hole, slot: slot)
    record.serial = serial
    record.other = UInt32(truncatingIfNeeded: index)
    record.frames = Int64(pages)
    write(record)
    return true
  }

  /// Writes how long a version is, in frames, and how long a round of it, exactly; how many layers it
  /// has, and which clip it is one of.
  @_noLocks
  package func length(
    _ slot: Int, _ serial: UInt32, frames: Int, round: Double, layers: Int, clip: Int
  ) -> Bool {
    if recordsLeft == 0 { return false }
    var record = LoopRecord(.length, slot: slot)
    record.serial = serial
    record.frames = Int64(frames)
    record.round = round
    record.layers = UInt32(truncatingIfNeeded: layers)
    record.clip = Int64(clip)
    write(record)
    return true
  }

  /// Writes the versions of a slot in their order, and the place of the one that is heard.
  @_noLocks
  package func history(
    _ slot: Int, place: Int, _ serials: UnsafePointer<UInt32>, count: Int
  ) -> Bool {
    if room <= 0 || count > LoopRecord.mostVersions { return false }
    rt_copy_bytes(nextPage, serials, 4 &* count)
    var record = LoopRecord(.history, slot: slot)
    record.count = UInt16(truncatingIfNeeded: count)
    record.other = UInt32(truncatingIfNeeded: place)
    write(record, withPage: true)
    return true
  }

  /// Writes which version is being recorded and not published yet; 0 where none is.
  @_noLocks
  package func making(_ slot: Int, _ serial: UInt32) -> Bool {
    if recordsLeft == 0 { return false }
    var record = LoopRecord(.making, slot: slot)
    record.serial = serial
    write(record)
    return true
  }

  /// Writes which version of the history is being added to; 0 where none is.
  @_noLocks
  package func adding(_ slot: Int, _ serial: UInt32) -> Bool {
    if recordsLeft == 0 { return false }
    var record = LoopRecord(.adding, slot: slot)
    record.serial = serial
    record.other = .max
    write(record)
    return true
  }

  /// Writes whether a slot plays, and at which frame of the engine's time it was at its beginning.
  @_noLocks
  package func phase(_ slot: Int, isPlaying: Bool, beginning: Int64) -> Bool {
    if recordsLeft == 0 { return false }
    var record = LoopRecord(.phase, slot: slot)
    record.count = isPlaying ? 1 : 0
    record.frames = beginning
    write(record)
    return true
  }
}
