package import Engine
internal import Glibc
package import Posix

/// Keeps the loops of a node on a disk: takes what the audio thread tells of them, and writes it, on
/// threads for which nobody waits.
///
/// What can't be written is told of once, and all of it is told anew when it can.
package final class LoopKeeper: @unchecked Sendable {
  // How often to look for what came, in milliseconds.
  private static let period = 100
  private static let syncPeriod = 250
  private static let compactedBytes = 2 << 20
  // From a fault to the next attempt, in microseconds: twice as long each time.
  private static let (shortestRetry, longestRetry) = (500_000.0, 30_000_000.0)
  private static let endSeconds = 5.0
  // A disk that takes all for so long, in microseconds, is one that works.
  private static let mendedAfter = 10_000_000.0

  /// What the audio thread tells.
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

  // Only one thread at a time has these: who made it, until it is started.
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

  /// A keeper of loops in a folder, which has not begun.
  package init(
    folder: String, journal: LoopJournal = LoopJournal(), spare: Int = LoopStore.usualSpare
  ) throws(SystemError) {
    self.folder = folder
    self.journal = journal
    self.spare = spare
    wake = try Signal()
  }

  /// The folder of the node of a name.
  package static func folder(home: String, name: String) -> String { "\(home)/loops/\(name)" }

  /// The lines to be said since this was asked last.
  package func takeLines() -> [String] {
    shared.change(waking: .nobody) { shared in
      defer { shared.lines = [] }
      return shared.lines
    }
  }

  /// How many bytes were written since it was begun.
  package var bytesWritten: Int { shared.change(waking: .nobody) { $0.bytesWritten } }

  /// Whether all is written, after its end.
  package var isEnded: Bool { shared.change(waking: .nobody) { $0.isEnded } }

  // MARK: - Before it begins

  /// Opens what is kept, or forgets it; returns it, and nil where it can't be read.
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

  /// Keeps the file that was opened beside, for what in it does not fit, and begins another one;
  /// returns its name.
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

  /// Begins to write what is told; where the audio thread goes on from what is kept already, that is
  /// the first telling.
  package func start(goesOn: Bool) throws(SystemError) {
    sync = try FileSync(thread: "loops-disk", periodMilliseconds: Self.syncPeriod)
    if store != nil {
      telling = 1
      isHeard = goesOn
      journal.want(telling)
    }
    try Thread.start("loops") { [self] in work() }
  }

  /// Ends it, when all that was told until now is written.
  package func end() {
    shared.change { $0.isWanted = false }
    wake.set()
  }

  /// Waits for the end of it, for so many seconds at most.
  package func awaitEnd(seconds: Double = 10) -> Bool {
    shared.wait(seconds: seconds) { $0.isEnded ? true : nil } ?? false
  }

  // MARK: - Its thread

  private func work() {
    while true {
      // Before what came is looked at: after the end nothing is told.
      let isLast = !shared.change(waking: .nobody) { $0.isWanted }
      if store == nil { reopen() }
      write()
      if isLast { break }
      let isBusy = store?.isCompacting ?? false
      wake.wait(milliseconds: isBusy ? 0 : Self.period)
    }
    sync?.end(seconds: Self.endSeconds)
    journal.want(0)
    (store, sync) = (nil, nil)
    shared.change { $0.isEnded = true }
  }

  /// Writes what came.
  private func write() {
    do throws(SystemError) {
      while try journal.take({ (record, bytes) throws(SystemError) in try take(record, bytes) }) {}
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
    guard try store.take(record, bytes) else {
      throw SystemError("\(store.path) was to have what can't follow", code: EPROTO)
    }
  }

  private func noteSuccess() {
    guard HostTime.steady > heardAt + Self.mendedAfter else { return }
    isFaultTold = false
    retry = Self.shortestRetry
  }

  private func fail(_ error: SystemError) {
    journal.want(0)
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
      // What this node has not written, nor read, is not written over.
      if store.number != ownFile, !store.archive.isEmpty {
        let name = try store.putAside(as: "aside")
        say("the loops that were kept before are \(name) now")
      }
      if store.number == ownFile, let loss = store.loss { say(loss) }
      ownFile = store.number
      self.store = store
      writtenBefore = 0
      telling += 1
      journal.want(telling)
    } catch {
      fail(error)
    }
  }
}
