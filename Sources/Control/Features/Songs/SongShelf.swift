internal import Posix

/// The folder whose songs are listed, and the list of them, looked up on a thread that waits for
/// the disk.
final class SongShelf {
  private static let mostWaiting = 64

  /// The folders that songs can come from.
  let folders: SongFolders
  /// The name of the folder, as `/music/folder` takes it.
  private(set) var folder: String
  /// The songs in it; nil before they were looked up first.
  private(set) var list: SongList?
  /// Follow-up when the songs come from another folder.
  var whenFolderChanges: () -> Void = {}
  /// Follow-up when they were looked up anew.
  var whenListed: (SongList) -> Void = { _ in }

  private let worker = Worker("songs")
  private var scans = 0
  // How many changes of the folder are under way.
  private var changes = 0
  private var waiting: [(Result<SongList, Refusal>) -> Void] = []

  init(_ folders: SongFolders) {
    self.folders = folders
    folder = folders.initial
  }

  /// Whether something is looked up.
  var isBusy: Bool { worker.count > 0 }

  /// Calls back with the list: as it is, or looked up anew.
  func withList(
    anew: Bool, _ body: @escaping (Result<SongList, Refusal>) -> Void
  ) throws(Refusal) {
    // While a list is looked up anew, the former one will do; while the folder changes, it won't.
    if let list, !anew, changes == 0 {
      body(.success(list))
      return
    }
    guard waiting.count < Self.mostWaiting else {
      throw Refusal(.busy, "\(waiting.count) wait for the list of songs already; ask again later")
    }
    waiting.append(body)
    if worker.count == 0 { scan(folder) { _ in } }
  }

  /// Goes over to another folder, and calls back when its songs are listed, or why they can't be.
  func setFolder(
    _ name: String, then ending: @escaping (Result<SongList, Refusal>) -> Void
  ) throws(Refusal) {
    guard worker.count < Self.mostWaiting else {
      throw Refusal(.busy, "\(worker.count) folders wait for the disk already; ask again later")
    }
    scan(name, then: ending)
  }

  private func scan(_ name: String, then ending: @escaping (Result<SongList, Refusal>) -> Void) {
    scans += 1
    let isChange = name != folder
    if isChange { changes += 1 }
    let number = scans
    let known = list?.findings ?? [:]
    worker.run { [folders] () throws(Refusal) in
      try SongList(of: try folders.path(of: name), in: folders, known: known)
    } then: { [unowned self] outcome in
      if isChange { changes -= 1 }
      let isLatest = number == scans
      if isLatest, case .success(let list) = outcome { take(list, of: name) }
      ending(outcome)
      guard isLatest else { return }
      let waiting = waiting
      self.waiting = []
      // Where the other folder is none, whoever waits has the songs of the present one.
      var listed = outcome
      if case .failure = outcome, isChange, let list { listed = .success(list) }
      for body in waiting { body(listed) }
    }
  }

  private func take(_ list: SongList, of name: String) {
    self.list = list
    if folder != name {
      folder = name
      whenFolderChanges()
    }
    whenListed(list)
  }

  /// Tells of what was looked up.
  func deliver() { worker.deliver() }
}
