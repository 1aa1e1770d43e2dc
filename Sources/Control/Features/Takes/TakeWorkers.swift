internal import Library
internal import Posix

/// The workers of the library of takes, on two threads: one for what somebody waits for, which is quick,
/// and one for what goes through whole files or folders, which can take its time.
final class TakeWorkers {
  // A phone that asks faster than a disk answers is told so.
  private static let mostWaiting = 256
  // How often takes that have been in the trash for long are looked for, in microseconds.
  private static let trashPeriod = 86_400e6

  /// A library that is opened on the thread that first needs it, and again after it failed.
  private final class Shelf: @unchecked Sendable {
    private let home: String
    // Only its own thread touches it.
    private var library: TakeLibrary?

    init(home: String) { self.home = home }

    func use<Value>(
      _ work: (TakeLibrary) throws(LibraryFault) -> Value
    ) throws(Refusal) -> Value {
      do throws(LibraryFault) {
        let library: TakeLibrary
        if let open = self.library { library = open } else { library = try TakeLibrary(home: home) }
        self.library = library
        do throws(LibraryFault) {
          return try work(library)
        } catch {
          // Its disk may have been away, or another one be there now.
          if error.kind == .io || error.kind == .broken { self.library = nil }
          throw error
        }
      } catch {
        throw Refusal(error)
      }
    }
  }

  /// The home folder.
  let home: String
  /// The worker for what is quick: lists, notes, clips.
  let lists = Worker("takes")
  /// The worker for what takes its time.
  let files = Worker("take files")
  private let shelfOfLists: Shelf
  private let shelfOfFiles: Shelf
  private var nextTrash = 0.0

  init(home: String) {
    self.home = home
    shelfOfLists = Shelf(home: home)
    shelfOfFiles = Shelf(home: home)
  }

  /// Looks something up, or writes it down, and then calls `ending`.
  func list<Value: Sendable>(
    _ work: @escaping @Sendable (TakeLibrary) throws(LibraryFault) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) throws(Refusal) {
    try give(work, to: lists, shelfOfLists, ending)
  }

  /// Queues work that can take its time, and calls `ending` when it is done.
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
    guard worker.count < Self.mostWaiting else {
      throw Refusal(
        .busy, "\(worker.count) other requests wait for the library already; send it again later")
    }
    worker.run({ () throws(Refusal) in try shelf.use(work) }, then: ending)
  }

  /// Empties the trash of what has been there for long, once a day; `ending` is told how many
  /// takes that were.
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

extension Refusal {
  init(_ fault: LibraryFault) {
    let code: Code =
      switch fault.kind {
      case .missing: .missing
      case .denied: .denied
      case .range: .range
      case .broken: .type
      case .io: .io
      case .busy: .busy
      }
    self.init(code, fault.message)
  }
}
