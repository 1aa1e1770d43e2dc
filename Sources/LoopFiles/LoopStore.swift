package import Engine
internal import Glibc
package import Posix

/// The file that keeps the loops of a node: a journal that only grows, until most of it is of no use
/// any more and what is left is copied into another one.
///
/// One thread at a time.
package final class LoopStore: @unchecked Sendable {
  /// The bytes that a file may have beside twice what is of use in it.
  package static let usualSpare = 32 << 20
  private static let bufferBytes = 1 << 20
  // Between two counts of what is of use, as a part of what is spare.
  private static let partOfSpare = 8

  /// The path of the file.
  package let path: String
  /// A line that says what could not be read of the file, and where that lies now; nil where all
  /// could.
  package private(set) var loss: String?
  /// How many bytes were written since it was opened.
  package private(set) var bytesWritten = 0

  private let spare: Int
  private let lock: FileLock
  private(set) var file: Descriptor
  private var format: JournalFormat
  private(set) var map = LoopMap()
  // What the file has, and what waits to be written behind it.
  private var end: Int
  private var waiting: [UInt8] = []
  private var compaction: LoopCompaction?
  private var nextCount = 0

  /// Opens the journal in a folder, which is made where there is none.
  package init(in folder: String, spare: Int = LoopStore.usualSpare) throws(SystemError) {
    self.spare = spare
    path = folder + "/journal"
    try Files.makeFolder(folder)
    guard let lock = try FileLock(folder + "/.lock") else {
      throw SystemError("another node keeps its loops in \(folder)", code: EBUSY)
    }
    self.lock = lock
    Files.remove(Self.part(path))
    (file, end) = try Self.open(path)
    format = JournalFormat(number: 0)
    try read()
    countLater()
  }

  static func part(_ path: String) -> String { path + ".part" }

  private static func open(_ path: String) throws(SystemError) -> (Descriptor, Int) {
    let file = try Descriptor(
      Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666), orThrow: path)
    guard let size = Files.size(of: file) else { throw SystemError(path, code: EINVAL) }
    return (file, size)
  }

  /// The number of the file: another one has another.
  package var number: UInt64 { format.number }

  /// How many bytes the file has.
  package var size: Int { end }

  /// The greatest serial number of a version in it.
  package var latestSerial: UInt32 { map.latestSerial }

  /// The loops as the file has them.
  package var archive: LoopArchive { LoopArchive(map, file, path) }

  // MARK: - Reading

  private func read() throws(SystemError) {
    if end < JournalFormat.headBytes {
      // Killed while it was begun.
      try begin()
      return
    }
    var head = [UInt8](repeating: 0, count: JournalFormat.headBytes)
    try Self.attempt(&head) { [file] bytes throws(SystemError) in
      try file.read(into: bytes, at: 0)
    }
    guard let format = JournalFormat(head: head) else {
      try putAside(saying: "\(path) is no journal of loops of this version")
      return
    }
    self.format = format
    var scan = JournalScan(file, format, from: head.count, to: end)
    var step = JournalScan.Step.record
    while step == .record {
      step = try scan.next { [self] in map.take($0, $1, at: $2) }
    }
    if step == .damaged {
      try putAside(
        saying: "\(path) is damaged at byte \(scan.place) of \(end); the loops are as they were "
          + "there, and what came after is lost")
    } else if scan.place < end {
      try shorten(to: scan.place)
    }
  }

  private static func attempt(
    _ bytes: inout [UInt8],
    _ body: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Void
  ) throws(SystemError) {
    let result = bytes.withUnsafeMutableBytes { bytes in
      Result { () throws(SystemError) in try body(bytes) }
    }
    try result.get()
  }

  private func begin() throws(SystemError) {
    format = JournalFormat(number: .random(in: 1 ... .max))
    try shorten(to: 0)
    try write(format.head)
  }

  private func shorten(to size: Int) throws(SystemError) {
    guard ftruncate(file.number, size) == 0 else { throw SystemError(path) }
    end = size
  }

  /// Keeps the file beside, and goes on in another one with what could be read of it.
  private func putAside(saying line: String) throws(SystemError) {
    let aside = Self.freeName(path + ".bad")
    // Some file systems have no second names.
    guard link(path, aside) == 0 || rename(path, aside) == 0 else { throw SystemError(aside) }
    loss = "\(line); the whole file is \(aside) now"
    if map.slots.isEmpty {
      unlink(path)
      (file, end) = try Self.open(path)
      try begin()
    } else {
      try compactNow()
    }
  }

  /// Keeps the file beside as it is, and begins an empty one; returns the name that it has now.
  package func putAside(as suffix: String) throws(SystemError) -> String {
    try flush()
    compaction = nil
    let aside = Self.freeName("\(path).\(suffix)")
    guard rename(path, aside) == 0 else { throw SystemError(aside) }
    (file, end) = try Self.open(path)
    map = LoopMap()
    try begin()
    countLater()
    return aside
  }

  /// Forgets all that there is.
  package func forget() throws(SystemError) {
    compaction = nil
    waiting = []
    map = LoopMap()
    try begin()
    countLater()
  }

  private static func freeName(_ wanted: String) -> String {
    var (name, number) = (wanted, 1)
    while Files.exist(name) {
      number += 1
      name = "\(wanted).\(number)"
    }
    return name
  }

  // MARK: - Writing

  /// Adds a record, with the bytes that belong to it; false where it can't follow those before.
  ///
  /// It is on its way to the disk when that is flushed.
  package func take(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) -> Bool {
    let place = end + waiting.count + JournalFormat.recordBytes
    guard map.take(record, bytes, at: place) else { return false }
    format.append(record, bytes, to: &waiting)
    if waiting.count >= Self.bufferBytes { try flush() }
    return true
  }

  /// Gives the system all that was added: it is there after the end of the process, however that
  /// comes.
  ///
  /// After an error nothing more can be added.
  package func flush() throws(SystemError) {
    if waiting.isEmpty { return }
    do throws(SystemError) {
      try write(waiting)
    } catch {
      // What was written of it is no whole record, or is told anew.
      _ = ftruncate(file.number, end)
      throw error
    }
    waiting.removeAll(keepingCapacity: true)
  }

  private func write(_ bytes: [UInt8]) throws(SystemError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try file.write(bytes, at: end) }
    }
    do throws(SystemError) { try result.get() } catch {
      throw SystemError(path, code: error.code)
    }
    end += bytes.count
    bytesWritten += bytes.count
  }

  /// Whether the file still stands where it should.
  package var isInPlace: Bool {
    var (there, own) = (stat(), stat())
    return stat(path, &there) == 0 && fstat(file.number, &own) == 0
      && there.st_ino == own.st_ino && there.st_dev == own.st_dev
  }

  // MARK: - What is of no use

  /// The file in which what is of use is being put together, when all of it is written but not safe
  /// on the disk yet; nil otherwise.
  package var unsafeFile: Descriptor? { compaction?.isWaiting == true ? compaction?.file : nil }

  /// Says that the file that was not safe is so now.
  package func makeSafe(_ file: Descriptor) {
    if compaction?.file === file { compaction?.isSafe = true }
  }

  /// Whether there is something to be done to keep the file short.
  package var isCompacting: Bool { compaction.map { !$0.isWaiting } ?? false }

  /// Does a part of what keeps the file short: copies at most so many bytes.
  package func compact(bytes: Int) throws(SystemError) {
    try flush()
    if compaction == nil {
      guard end >= nextCount else { return }
      countLater()
      guard end > 2 * map.bytes + spare else { return }
      compaction = try LoopCompaction(map, file, format, end: end, path: path)
    }
    guard let compaction else { return }
    try compaction.copy(bytes: bytes, to: end)
    bytesWritten += compaction.takeWritten()
    if compaction.isSafe { try finish(compaction) }
  }

  /// Copies all that is of use into another file at once.
  private func compactNow() throws(SystemError) {
    let compaction = try LoopCompaction(map, file, format, end: end, path: path, hasMore: false)
    while !compaction.isWaiting { try compaction.copy(bytes: .max, to: end) }
    guard fsync(compaction.file.number) == 0 else { throw SystemError(path) }
    try finish(compaction)
  }

  private func finish(_ compaction: LoopCompaction) throws(SystemError) {
    // What came since is not much.
    while !compaction.isAtEnd(end) { try compaction.copy(bytes: .max, to: end) }
    bytesWritten += compaction.takeWritten()
    try compaction.complete()
    self.compaction = nil
    (file, format, map, end) = (
      compaction.file, compaction.format, compaction.map, compaction.end
    )
    // What came meanwhile may be much.
    nextCount = end
  }

  private func countLater() { nextCount = end + spare / Self.partOfSpare }
}

extension LoopMap {
  /// The bytes that all pages would take if each was written once.
  var bytes: Int {
    var places: Set<Int> = []
    for slot in slots.values {
      for version in slot.versions.values {
        for index in 0..<version.pages.count {
          if let place = version.pages[index] { places.insert(place) }
        }
      }
    }
    return places.count * (LoopRecord.pageBytes + JournalFormat.recordBytes)
  }
}
