package import Engine
internal import Glibc
package import Posix

/// An append-only journal file of a node's loops.
///
/// When most of it is obsolete, the live rest is copied into a new file.
///
/// One thread at a time.
package final class LoopStore: @unchecked Sendable {
  /// How far a file may exceed twice its live size, in bytes.
  package static let usualSpare = 32 << 20
  private static let bufferBytes = 1 << 20
  // The distance between two counts of the live data, as a fraction of the spare size.
  private static let partOfSpare = 8

  /// The path of the file.
  package let path: String
  /// A line about what could not be read, and where the old file is now; nil if everything was
  /// read.
  package private(set) var loss: String?
  /// The number of bytes written since the file was opened.
  package private(set) var bytesWritten = 0

  private let spare: Int
  private let lock: FileLock
  private(set) var file: Descriptor
  private var format: JournalFormat
  private(set) var map = LoopMap()
  // The size of the file, and the buffered bytes to append.
  private var end: Int
  private var waiting: [UInt8] = []
  private var compaction: LoopCompaction?
  private var nextCount = 0

  /// Opens the journal in a folder; creates it if it does not exist.
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

  /// The number of the file, unique to it.
  package var number: UInt64 { format.number }

  /// The size of the file, in bytes.
  package var size: Int { end }

  /// The highest serial number of a version in the file.
  package var latestSerial: UInt32 { map.latestSerial }

  /// The loops as the file has them.
  package var archive: LoopArchive { LoopArchive(map, file, path) }

  // MARK: - Reading

  private func read() throws(SystemError) {
    if end < JournalFormat.headBytes {
      // Killed during its creation.
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

  /// Sets the file aside, and continues in a new one with everything that could be read.
  private func putAside(saying line: String) throws(SystemError) {
    let aside = Self.freeName(path + ".bad")
    // Some file systems have no hard links.
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

  /// Sets the file aside as it is, and starts an empty one.
  ///
  /// Returns the old file's new name.
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

  /// Discards everything.
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

  /// Appends a record with its payload.
  ///
  /// Returns false if it can't follow the earlier ones.
  ///
  /// It is written when the buffer is flushed.
  package func append(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) -> Bool {
    let place = end + waiting.count + JournalFormat.recordBytes
    guard map.take(record, bytes, at: place) else { return false }
    format.append(record, bytes, to: &waiting)
    if waiting.count >= Self.bufferBytes { try flush() }
    return true
  }

  /// Writes the buffered records to the system, so that they survive a crash of the process.
  ///
  /// After an error nothing more can be appended.
  package func flush() throws(SystemError) {
    if waiting.isEmpty { return }
    do throws(SystemError) {
      try write(waiting)
    } catch {
      // The partly written record is incomplete, or will be written again.
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

  /// Whether the file is still at its path.
  package var isInPlace: Bool {
    var (there, own) = (stat(), stat())
    return stat(path, &there) == 0 && fstat(file.number, &own) == 0
      && there.st_ino == own.st_ino && there.st_dev == own.st_dev
  }

  // MARK: - Compaction

  /// The new file of a compaction that is fully written but not yet fsynced; nil otherwise.
  package var unsafeFile: Descriptor? { compaction?.isWaiting == true ? compaction?.file : nil }

  /// Marks the new file as durable after its fsync.
  package func makeSafe(_ file: Descriptor) {
    if compaction?.file === file { compaction?.isSafe = true }
  }

  /// Whether there is compaction work to do.
  package var isCompacting: Bool { compaction.map { !$0.isWaiting } ?? false }

  /// Runs a part of the compaction: copies up to this many bytes.
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

  /// Copies all live data into a new file at once.
  private func compactNow() throws(SystemError) {
    let compaction = try LoopCompaction(map, file, format, end: end, path: path, hasMore: false)
    while !compaction.isWaiting { try compaction.copy(bytes: .max, to: end) }
    guard fsync(compaction.file.number) == 0 else { throw SystemError(path) }
    try finish(compaction)
  }

  private func finish(_ compaction: LoopCompaction) throws(SystemError) {
    // Few records were added since.
    while !compaction.isAtEnd(end) { try compaction.copy(bytes: .max, to: end) }
    bytesWritten += compaction.takeWritten()
    try compaction.complete()
    self.compaction = nil
    (file, format, map, end) = (
      compaction.file, compaction.format, compaction.map, compaction.end
    )
    // Many bytes may have been added meanwhile.
    nextCount = end
  }

  private func countLater() { nextCount = end + spare / Self.partOfSpare }
}

extension LoopMap {
  /// The bytes of all pages if each is written once.
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
