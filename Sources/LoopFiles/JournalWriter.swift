package import Engine
internal import Glibc
package import Posix

/// Persists the loops of a node: writes the audio thread's journal to disk, on background threads.
///
/// A write error is reported once. When writing works again, the whole state is written again.
package final class JournalWriter: @unchecked Sendable {
  // Poll interval of the journal, in milliseconds.
  private static let period = 100
  private static let syncPeriod = 250
  private static let compactedBytes = 2 << 20
  // Delay before a retry after a fault, in microseconds; it doubles each time.
  private static let (shortestRetry, longestRetry) = (500_000.0, 30_000_000.0)
  private static let endSeconds = 5.0
  // A disk without faults for this long, in microseconds, counts as working.
  private static let recoveredAfter = 10_000_000.0

  /// The journal that the audio thread writes.
  package let journal: LoopJournal

  private struct Shared {
    var isWanted = true
    var isEnded = false
    var isFailing = false
    var passes = 0
    var lines: [String] = []
    var bytesWritten = 0
  }

  private let shared = Monitor(Shared())
  private let folder: String
  private let spare: Int
  private let wake: Signal

  // Owned by one thread at a time: the creator's, until the writer thread starts.
  private var store: LoopStore?
  private var sync: FileSync?
  // The number of the requested snapshot, and whether its records arrive.
  private var snapshot: UInt32 = 0
  private var isCurrent = false
  private var currentSince = 0.0
  // The number of the file that this writer has read or written.
  private var ownFile: UInt64?
  private var countedBytes = 0
  private var isFaultReported = false
  private var retry = JournalWriter.shortestRetry
  private var retryAt = 0.0

  /// Creates a writer for a folder, without starting it.
  package init(
    folder: String, journal: LoopJournal, spare: Int = LoopStore.usualSpare
  ) throws(SystemError) {
    self.folder = folder
    self.journal = journal
    self.spare = spare
    wake = try Signal()
  }

  /// The folder for a node's name.
  package static func folder(home: String, name: String) -> String { "\(home)/loops/\(name)" }

  /// Returns the log lines since the last call.
  package func nextLines() -> [String] {
    shared.change(waking: .nobody) { shared in
      defer { shared.lines = [] }
      return shared.lines
    }
  }

  /// The number of bytes written since the start.
  package var bytesWritten: Int { shared.change(waking: .nobody) { $0.bytesWritten } }

  /// Whether everything is written, after the end.
  package var isEnded: Bool { shared.change(waking: .nobody) { $0.isEnded } }

  /// The number of write passes since the start, including those that failed.
  package var passes: Int { shared.change(waking: .nobody) { $0.passes } }

  /// Starts the next write pass without waiting for the period to elapse.
  package func requestPass() { wake.set() }

  /// Whether the loops are not kept at present, because of a fault.
  package var isFailing: Bool { shared.change(waking: .nobody) { $0.isFailing } }

  // MARK: - Before the start

  /// Opens the saved loops, or discards them.
  ///
  /// Loops that can't be written now, as on a read-only disk, are read all the same. Returns nil if they
  /// can't be read. With `isReadOnly`, that they can't be written is known, and not reported.
  package func open(discarding: Bool = false, isReadOnly: Bool = false) -> LoopArchive? {
    isFaultReported = isReadOnly
    do throws(SystemError) {
      let store = try LoopStore(in: folder, spare: spare)
      if discarding { try store.discard() }
      if let loss = store.loss { log(loss) }
      self.store = store
      ownFile = store.number
      return store.archive
    } catch {
      fail(error)
      // Not those of another node.
      return discarding || error.isBusy ? nil : readOnly()
    }
  }

  /// Reads the saved loops from a file that can't be written now, and is continued once it can.
  private func readOnly() -> LoopArchive? {
    guard let (archive, damage) = try? LoopArchive.read(LoopStore.path(in: folder)) else {
      return nil
    }
    if let damage { log(damage) }
    ownFile = archive.number
    return archive
  }

  /// Sets the opened file aside, because some of it does not fit, and starts a new one.
  ///
  /// Returns the name of the old file.
  package func setAside() -> String? {
    guard let store else { return nil }
    do throws(SystemError) {
      let name = try store.setAside(as: "aside")
      ownFile = store.number
      return name
    } catch {
      fail(error)
      return nil
    }
  }

  /// Starts writing the journal.
  ///
  /// `continues` says that the audio thread continues from the saved state; otherwise it starts with a
  /// snapshot.
  package func start(continues: Bool) throws(SystemError) {
    sync = try FileSync(thread: "loops-disk", periodMilliseconds: Self.syncPeriod)
    if store != nil {
      snapshot = 1
      isCurrent = continues
      journal.request(snapshot: snapshot)
    }
    try Thread.start("loops") { [self] in work() }
  }

  /// Stops after everything so far is written.
  package func end() {
    shared.change { $0.isWanted = false }
    wake.set()
  }

  /// Waits for the end, for at most `seconds`.
  package func awaitEnd(seconds: Double = 10) -> Bool {
    shared.wait(seconds: seconds) { $0.isEnded ? true : nil } ?? false
  }

  // MARK: - Writer thread

  private func work() {
    while true {
      // Read before the journal is drained: after the end nothing is added.
      let isLast = !shared.change(waking: .nobody) { $0.isWanted }
      if store == nil { reopen() }
      write()
      shared.change(waking: .nobody) { $0.passes += 1 }
      if isLast { break }
      wake.wait(milliseconds: store?.isCompacting == true ? 0 : Self.period)
    }
    sync?.end(seconds: Self.endSeconds)
    journal.request(snapshot: 0)
    (store, sync) = (nil, nil)
    shared.change { $0.isEnded = true }
  }

  /// Drains the journal to disk.
  private func write() {
    do throws(SystemError) {
      while try journal.next({ (record, bytes) throws(SystemError) in try write(record, bytes) }) {}
      guard let store else { return }
      try store.flush()
      for file in try sync?.nextSynced() ?? [] { store.markDurable(file) }
      try store.compact(bytes: Self.compactedBytes)
      noteRecovery()
      if store.bytesWritten == countedBytes { return }
      shared.change(waking: .nobody) { $0.bytesWritten += store.bytesWritten - countedBytes }
      countedBytes = store.bytesWritten
      guard store.isInPlace else {
        throw SystemError("\(store.path) was moved or deleted", code: ENOENT)
      }
      sync?.request(store.descriptor, path: store.path)
      if let file = store.newDescriptor { sync?.request(file, path: store.path) }
    } catch {
      fail(error)
    }
  }

  private func noteRecovery() {
    guard isCurrent else { return }
    shared.change(waking: .nobody) { $0.isFailing = false }
    guard HostTime.steady > currentSince + Self.recoveredAfter else { return }
    retry = Self.shortestRetry
    guard isFaultReported else { return }
    isFaultReported = false
    log("the loops are kept again")
  }

  private func write(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) {
    if record.kind == .rate {
      isCurrent = record.other == snapshot
      currentSince = HostTime.steady
    }
    guard isCurrent, let store else { return }
    guard try store.append(record, bytes) else {
      throw SystemError("\(store.path) can't continue with the next record", code: EPROTO)
    }
  }

  private func fail(_ error: SystemError) {
    journal.request(snapshot: 0)
    isCurrent = false
    store = nil
    shared.change(waking: .nobody) { $0.isFailing = true }
    retryAt = HostTime.steady + retry
    retry = min(2 * retry, Self.longestRetry)
    guard !isFaultReported else { return }
    isFaultReported = true
    log("the loops are not kept: \(error)")
  }

  private func log(_ line: String) {
    shared.change(waking: .nobody) { $0.lines.append(line) }
  }

  private func reopen() {
    guard HostTime.steady >= retryAt else { return }
    do throws(SystemError) {
      let store = try LoopStore(in: folder, spare: spare)
      // Never overwrite a file that this writer has neither written nor read.
      if store.number != ownFile, !store.archive.isEmpty {
        let name = try store.setAside(as: "aside")
        log("the loops that were kept before are \(name) now")
      }
      if store.number == ownFile, let loss = store.loss { log(loss) }
      ownFile = store.number
      self.store = store
      countedBytes = 0
      snapshot += 1
      journal.request(snapshot: snapshot)
    } catch {
      fail(error)
    }
  }
}
