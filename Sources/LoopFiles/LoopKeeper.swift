package import Engine
internal import Glibc
package import Posix

/// Persists the loops of a node: receives the audio thread's journal and writes it, on background
/// threads.
///
/// A write error is reported once. When writing works again, the whole state is written again.
package final class LoopKeeper: @unchecked Sendable {
  // Poll interval of the journal, in milliseconds.
  private static let period = 100
  private static let syncPeriod = 250
  private static let compactedBytes = 2 << 20
  // Delay before a retry after a fault, in microseconds; it doubles each time.
  private static let (shortestRetry, longestRetry) = (500_000.0, 30_000_000.0)
  private static let endSeconds = 5.0
  // A disk without faults for this long, in microseconds, counts as working.
  private static let mendedAfter = 10_000_000.0

  /// The journal that the audio thread writes.
  package let journal: LoopJournal

  private struct Shared {
    var isWanted = true
    var isEnded = false
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
  private var telling: UInt32 = 0
  private var isHeard = false
  private var ownFile: UInt64?
  private var writtenBefore = 0
  private var isFaultTold = false
  private var retry = LoopKeeper.shortestRetry
  private var retryAt = 0.0
  private var heardAt = 0.0

  /// Creates a store for a folder, without starting it.
  package init(
    folder: String, journal: LoopJournal = LoopJournal(), spare: Int = LoopStore.usualSpare
  ) throws(SystemError) {
    self.folder = folder
    self.journal = journal
    self.spare = spare
    wake = try Signal()
  }

  /// The folder for a node's name.
  package static func folder(home: String, name: String) -> String { "\(home)/loops/\(name)" }

  /// The log lines since the last call.
  package func takeLines() -> [String] {
    shared.change(waking: .nobody) { shared in
      defer { shared.lines = [] }
      return shared.lines
    }
  }

  /// The number of bytes written since the start.
  package var bytesWritten: Int { shared.change(waking: .nobody) { $0.bytesWritten } }

  /// Whether everything is written, after the end.
  package var isEnded: Bool { shared.change(waking: .nobody) { $0.isEnded } }

  // MARK: - Before the start

  /// Opens the saved loops, or discards them.
  ///
  /// Returns nil if they can't be read.
  package func open(forgetting: Bool = false) -> LoopArchive? {
    do throws(SystemError) {
      let store = try LoopStore(in: folder, spare: spare)
      if forgetting { try store.forget() }
      if let loss = store.loss { say(loss) }
      self.store = store
      ownFile = store.number
      return store.archive
    } catch {
      fail(error)
      return nil
    }
  }

  /// Sets the opened file aside, because some of it does not fit, and starts a new one.
  ///
  /// Returns the name of the old file.
  package func putAside() -> String? {
    guard let store else { return nil }
    do throws(SystemError) {
      let name = try store.putAside(as: "aside")
      ownFile = store.number
      return name
    } catch {
      fail(error)
      return nil
    }
  }

  /// Starts writing the journal.
  ///
  /// `goesOn` says that the audio thread continues from the saved state; otherwise the first update
  /// is the whole state.
  package func start(goesOn: Bool) throws(SystemError) {
    sync = try FileSync(thread: "loops-disk", periodMilliseconds: Self.syncPeriod)
    if store != nil {
      telling = 1
      isHeard = goesOn
      journal.request(snapshot: telling)
    }
    try Thread.start("loops") { [self] in work() }
  }

  /// Stops after everything so far is written.
  package func end() {
    shared.change { $0.isWanted = false }
    wake.set()
  }

  /// Waits for the stop, up to this many seconds.
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
      if isLast { break }
      let isBusy = store?.isCompacting ?? false
      wake.wait(milliseconds: isBusy ? 0 : Self.period)
    }
    sync?.end(seconds: Self.endSeconds)
    journal.request(snapshot: 0)
    (store, sync) = (nil, nil)
    shared.change { $0.isEnded = true }
  }

  /// Writes the drained journal.
  private func write() {
    do throws(SystemError) {
      while try journal.next({ (record, bytes) throws(SystemError) in try take(record, bytes) }) {}
      guard let store else { return }
      try store.flush()
      for file in try sync?.nextSynced() ?? [] { store.makeSafe(file) }
      try store.compact(bytes: Self.compactedBytes)
      if store.bytesWritten == writtenBefore { return }
      shared.change(waking: .nobody) { $0.bytesWritten += store.bytesWritten - writtenBefore }
      writtenBefore = store.bytesWritten
      guard store.isInPlace else {
        throw SystemError("\(store.path) was moved or deleted", code: ENOENT)
      }
      sync?.request(store.file, path: store.path)
      if let file = store.unsafeFile { sync?.request(file, path: store.path) }
      if isHeard { noteSuccess() }
    } catch {
      fail(error)
    }
  }

  private func take(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) {
    if record.kind == .rate {
      isHeard = record.other == telling
      heardAt = HostTime.steady
    }
    guard isHeard, let store else { return }
    guard try store.append(record, bytes) else {
      throw SystemError("\(store.path) was to have what can't follow", code: EPROTO)
    }
  }

  private func noteSuccess() {
    guard HostTime.steady > heardAt + Self.mendedAfter else { return }
    isFaultTold = false
    retry = Self.shortestRetry
  }

  private func fail(_ error: SystemError) {
    journal.request(snapshot: 0)
    isHeard = false
    store = nil
    retryAt = HostTime.steady + retry
    retry = min(2 * retry, Self.longestRetry)
    guard !isFaultTold else { return }
    isFaultTold = true
    say("the loops are not kept: \(error)")
  }

  private func say(_ line: String) {
    shared.change(waking: .nobody) { $0.lines.append(line) }
  }

  private func reopen() {
    guard HostTime.steady >= retryAt else { return }
    do throws(SystemError) {
      let store = try LoopStore(in: folder, spare: spare)
      // Never overwrite a file that this node has neither written nor read.
      if store.number != ownFile, !store.archive.isEmpty {
        let name = try store.putAside(as: "aside")
        say("the loops that were kept before are \(name) now")
      }
      if store.number == ownFile, let loss = store.loss { say(loss) }
      ownFile = store.number
      self.store = store
      writtenBefore = 0
      telling += 1
      journal.request(snapshot: telling)
    } catch {
      fail(error)
    }
  }
}
