package import Engine
internal import Glibc
package import Posix

/// The saved loops of a node: an append-only journal file in a folder.
///
/// When most of it is obsolete, the live rest is copied into a new file.
///
/// One thread at a time.
package final class LoopStore: @unchecked Sendable {
  /// How far a file may exceed twice its live size, in bytes.
  package static let usualSpare = 32 << 20
  /// The number of damaged files that are kept.
  package static let mostDamagedFiles = 3
  // The growth between two counts of the live data, as a fraction of the spare size.
  private static let partOfSpare = 8

  /// The path of the file.
  package let path: String
  /// A line about what could not be read, and where the old file is now; nil if everything was
  /// read.
  package private(set) var loss: String?

  private let spare: Int
  private let lock: FileLock
  private var file: JournalFile
  private var compaction: LoopCompaction?
  private var nextCount = 0
  // The bytes written to earlier files.
  private var formerBytes = 0

  /// Opens the journal in a folder; creates it if it does not exist.
  package init(in folder: String, spare: Int = LoopStore.usualSpare) throws(SystemError) {
    self.spare = spare
    path = Self.path(in: folder)
    try Files.makeFolder(folder)
    guard let lock = try FileLock(folder + "/.lock") else {
      throw SystemError("another node keeps its loops in \(folder)", code: EBUSY)
    }
    self.lock = lock
    Files.remove(LoopCompaction.part(path))
    file = try JournalFile(reading: path)
    if file.isNew { try Files.keep(folder: folder) }
    if let damage = file.damage { try replaceDamagedFile(damage) }
    countLater()
  }

  /// The path of the journal in a folder.
  package static func path(in folder: String) -> String { folder + "/journal" }

  /// The number of the file, unique to it.
  package var number: UInt64 { file.format.number }

  /// The size of the file, in bytes.
  package var size: Int { file.size }

  /// The highest serial number of a version in the file.
  package var latestSerial: UInt32 { file.index.latestSerial }

  /// The loops as the file has them.
  package var archive: LoopArchive { LoopArchive(file.index, file.pages, path, number: number) }

  /// The file, for an fsync.
  package var descriptor: Descriptor { file.descriptor }

  /// The number of bytes written since the store was opened.
  package var bytesWritten: Int {
    formerBytes + file.bytesWritten + (compaction?.bytesWritten ?? 0)
  }

  /// Whether the file is still at its path.
  package var isInPlace: Bool {
    var (there, own) = (stat(), stat())
    return stat(path, &there) == 0 && fstat(file.descriptor.number, &own) == 0
      && there.st_ino == own.st_ino && there.st_dev == own.st_dev
  }

  // MARK: - Writing

  /// Appends a record with its payload, to be written with the next flush.
  ///
  /// Returns false if it can't follow the earlier ones.
  package func append(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) -> Bool {
    try file.append(record, bytes)
  }

  /// Writes the buffered records to the system, so that they survive a crash of the process.
  ///
  /// After an error nothing more can be appended.
  package func flush() throws(SystemError) { try file.flush() }

  // MARK: - Other files

  /// Sets a damaged file aside, and continues in a new one with everything that could be read.
  private func replaceDamagedFile(_ damage: String) throws(SystemError) {
    let aside = Self.freeName(path + ".bad")
    // Some file systems have no hard links.
    let isLinked = link(path, aside) == 0
    guard isLinked || rename(path, aside) == 0 else { throw SystemError(aside) }
    do throws(SystemError) {
      let compaction = try LoopCompaction(file, path: path)
      while !compaction.isComplete { try compaction.copy(bytes: .max) }
      try replaceFile(compaction)
    } catch {
      // The next attempt finds the file where it was.
      if isLinked { unlink(aside) } else { _ = Files.move(aside, to: path) }
      throw error
    }
    pruneDamagedFiles(besides: aside)
    loss = "\(damage); the damaged file is \(aside) now"
  }

  /// Deletes the oldest damaged files, but not this one.
  private func pruneDamagedFiles(besides newest: String) {
    let folder = Files.folder(of: path)
    let others = Files.names(in: folder).filter { $0.hasPrefix("journal.bad") }
      .map { "\(folder)/\($0)" }.filter { $0 != newest }
      .map { (path: $0, modified: Files.modified($0) ?? 0) }
      .sorted { $0.modified > $1.modified }
    for other in others.dropFirst(Self.mostDamagedFiles - 1) { Files.remove(other.path) }
  }

  /// Sets the file aside as it is, and starts an empty one.
  ///
  /// Returns the old file's new name.
  package func setAside(as suffix: String) throws(SystemError) -> String {
    try flush()
    let aside = Self.freeName("\(path).\(suffix)")
    guard rename(path, aside) == 0 else { throw SystemError(aside) }
    try discard()
    return aside
  }

  /// Discards everything.
  package func discard() throws(SystemError) {
    compaction = nil
    use(try JournalFile(creating: path))
    try Files.keep(folder: Files.folder(of: path))
  }

  private func use(_ next: JournalFile) {
    formerBytes += file.bytesWritten
    file = next
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

  // MARK: - Compaction

  /// The new file of a compaction that has all data but is not durable yet; nil otherwise.
  package var newDescriptor: Descriptor? {
    compaction?.isComplete == true ? compaction?.target.descriptor : nil
  }

  /// Marks the new file as durable after its fsync.
  package func markDurable(_ file: Descriptor) {
    if compaction?.target.descriptor === file { compaction?.isDurable = true }
  }

  /// Whether there is compaction work to do.
  package var isCompacting: Bool { compaction.map { !$0.isComplete } ?? false }

  /// Runs a part of the compaction: copies up to this many bytes.
  package func compact(bytes: Int) throws(SystemError) {
    try flush()
    if compaction == nil {
      guard size >= nextCount else { return }
      countLater()
      guard size > 2 * file.index.bytes + spare else { return }
      compaction = try LoopCompaction(file, path: path)
    }
    guard let compaction else { return }
    try compaction.copy(bytes: bytes)
    if compaction.isDurable { try replaceFile(compaction) }
  }

  private func replaceFile(_ compaction: LoopCompaction) throws(SystemError) {
    // Few records were added since.
    while !compaction.isAtEnd { try compaction.copy(bytes: .max) }
    try compaction.replaceSource()
    self.compaction = nil
    use(compaction.target)
    // Many bytes may have been added meanwhile.
    nextCount = size
  }

  private func countLater() { nextCount = size + spare / Self.partOfSpare }
}
