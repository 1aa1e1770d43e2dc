internal import Posix

/// The current music folder and its list of songs, read on a background queue.
final class SongShelf {
  private static let mostWaiting = 64

  /// The music folders.
  let folders: SongFolders
  /// The name of the folder in `/music/folder`.
  private(set) var folder: String
  /// The songs in the folder; nil before the first lookup.
  private(set) var list: SongList?
  /// Called when the folder changed.
  var whenFolderChanges: () -> Void = {}
  /// Called when the list was refreshed.
  var whenListed: (SongList) -> Void = { _ in }

  /// The queue of lookups.
  ///
  /// The node exits without waiting for them.
  let worker = Worker(
    "songs", isAwaited: false, most: mostWaiting, of: "changes of folder are already queued")
  private var scans = 0
  // The number of pending folder changes.
  private var changes = 0
  private var waiting: [(Result<SongList, Refusal>) -> Void] = []

  init(_ folders: SongFolders) {
    self.folders = folders
    folder = folders.initial
  }

  /// Calls back with the list: the current one, or a refreshed one.
  func withList(
    anew: Bool, _ body: @escaping (Result<SongList, Refusal>) -> Void
  ) throws(Refusal) {
    // The previous list serves during a refresh, but not during a change of folder.
    if let list, !anew, changes == 0 {
      body(.success(list))
      return
    }
    guard waiting.count < Self.mostWaiting else {
      throw Refusal(
        .busy, "\(waiting.count) requests for the list of songs are already queued; try again later"
      )
    }
    waiting.append(body)
    if worker.count == 0 { scan(folder) { _ in } }
  }

  /// Changes the folder, and calls back when its songs are listed, or with the error.
  func setFolder(
    _ name: String, then ending: @escaping (Result<SongList, Refusal>) -> Void
  ) throws(Refusal) {
    try worker.checkRoom()
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
      if isLatest, case .success(let list) = outcome { update(list, of: name) }
      ending(outcome)
      guard isLatest else { return }
      let waiting = waiting
      self.waiting = []
      // If the change fails, queued requests receive the current list.
      var listed = outcome
      if case .failure = outcome, isChange, let list { listed = .success(list) }
      for body in waiting { body(listed) }
    }
  }

  private func update(_ list: SongList, of name: String) {
    self.list = list
    if folder != name {
      folder = name
      whenFolderChanges()
    }
    whenListed(list)
  }
}
