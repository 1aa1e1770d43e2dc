internal import Library
internal import Posix

/// The background queues of the library: one for quick requests that clients wait for, and one for work on
/// whole files or folders.
final class TakeWorkers {
  // The interval of purging the trash, in microseconds.
  private static let trashPeriod = 86_400e6

  /// A library that is opened on its thread at first use, and again after a failure.
  private final class Shelf: @unchecked Sendable {
    private let home: String
    // Confined to its thread.
    private var library: TakeLibrary?

    init(home: String) { self.home = home }

    func use<Value>(
      _ work: (TakeLibrary) throws(LibraryFault) -> Value
    ) throws(LibraryFault) -> Value {
      // A read-only disk can have become writable.
      let library =
        if let open = self.library, !open.isOutdated { open } else { try TakeLibrary(home: home) }
      self.library = library
      do throws(LibraryFault) {
        return try work(library)
      } catch {
        // The disk may have been disconnected or exchanged.
        if error.kind == .io || error.kind == .broken { self.library = nil }
        throw error
      }
    }
  }

  /// The data directory.
  let home: String
  /// The queue for quick requests: lists, notes, clips.
  let lists = Worker("takes", most: 256, of: requests)
  /// The queue for slow requests.
  let files = Worker("take files", most: 256, of: requests)
  private static let requests = "requests for the library are already queued"
  private let shelfOfLists: Shelf
  private let shelfOfFiles: Shelf
  private var nextTrash = 0.0

  init(home: String) {
    self.home = home
    shelfOfLists = Shelf(home: home)
    shelfOfFiles = Shelf(home: home)
  }

  /// Queues a quick request, and calls `ending` when it is done.
  func list<Value: Sendable>(
    _ work: @escaping @Sendable (TakeLibrary) throws(LibraryFault) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) throws(Refusal) {
    try give(work, to: lists, shelfOfLists, ending)
  }

  /// Queues a slow request, and calls `ending` when it is done.
  func file<Value: Sendable>(
    _ work: @escaping @Sendable (TakeLibrary) throws(LibraryFault) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) throws(Refusal) {
    try give(work, to: files, shelfOfFiles, ending)
  }

  private func give<Value: Sendable>(
    _ work: @escaping @Sendable (TakeLibrary) throws(LibraryFault) -> Value, to worker: Worker,
    _ shelf: Shelf, _ ending: @escaping (Result<Value, Refusal>) -> Void
  ) throws(Refusal) {
    try worker.checkRoom()
    worker.run({ () throws(LibraryFault) in try shelf.use(work) }, then: ending)
  }

  /// Purges expired takes from the trash, once per day.
  ///
  /// Calls `ending` with their number.
  func tidy(_ now: Double, then ending: @escaping (Result<Int, Refusal>) -> Void) {
    guard now >= nextTrash else { return }
    nextTrash = now + Self.trashPeriod
    try? file({ library throws(LibraryFault) in try library.emptyTrash() }, then: ending)
  }
}

extension TakeWorkers: SettingsStore {
  func keep(
    _ settings: [(path: String, text: String)],
    then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    try list(
      { library throws(LibraryFault) in
        for setting in settings { try library.set(setting.path, setting.text) }
      }, then: ending)
  }
}
