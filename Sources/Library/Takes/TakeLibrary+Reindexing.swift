internal import Glibc
internal import Posix
internal import SQLite
internal import SoundFiles

/// The result of a reindex.
package struct Reindexing: Equatable, Sendable {
  /// The number of takes afterwards, including those in the trash.
  package var takes = 0
  /// The unreadable files, which were left alone, each with the reason in one line.
  package var unreadable: [String] = []
}

extension TakeLibrary {
  /// Rebuilds all rows from the tags of the files.
  ///
  /// Keeps the settings.
  ///
  /// Other processes see the previous rows until it is done. `progress` receives the number of
  /// files read and in total.
  package func reindex(
    progress: (_ done: Int, _ total: Int) -> Void = { (_, _) in }
  ) throws(LibraryFault) -> Reindexing {
    var scan = Scan()
    let total = files.contents().takes.count + files.contents(inTrash: true).takes.count
    scan.update(self) { progress($0, total) }
    try database.transaction { () throws(LibraryFault) in
      // Other processes may have changed files since the first scan. Now the lock is held.
      scan.update(self) { _ in }
      try database.execute(SQL.clear)
      for (take, deleted) in scan.takes { try insert(take, deleted: deleted) }
    }
    return Reindexing(takes: scan.takes.count, unreadable: scan.unreadable)
  }

  /// Rebuilds the damaged database of a data directory.
  ///
  /// The old one is kept under another name. Its settings are lost.
  package static func rebuild(
    home: String, progress: (_ done: Int, _ total: Int) -> Void = { (_, _) in }
  ) throws(LibraryFault) -> (library: TakeLibrary, result: Reindexing) {
    let path = TakeFiles(home: home).database
    // The write-ahead log is moved first: an old database without its log must not pass for
    // complete, and a new database must not find it.
    for part in ["-wal", "-shm", ""] {
      guard rename(path + part, path + ".damaged" + part) == 0 || errno == ENOENT else {
        throw LibraryFault(SystemError(path + part))
      }
      try system(try Files.keep(folder: home), or: LibraryFault.init)
    }
    let library = try TakeLibrary(home: home)
    return (library, try library.reindex(progress: progress))
  }

  /// A scan of the take files and their change times.
  private struct Scan {
    private struct Entry {
      let changed: Int
      let inTrash: Bool
      let take: Take?
      let fault: String?
      let deleted: Int?
    }

    private var entries: [String: Entry] = [:]

    var takes: [(Take, Int?)] {
      entries.values.compactMap { entry in entry.take.map { ($0, entry.deleted) } }
    }

    var unreadable: [String] { entries.values.compactMap(\.fault).sorted() }

    /// Reads new and changed files, and drops missing ones.
    mutating func update(_ library: TakeLibrary, _ progress: (Int) -> Void) {
      let former = entries
      entries = [:]
      for inTrash in [true, false] {
        let contents = library.files.contents(inTrash: inTrash)
        for id in contents.takes {
          let path = library.files.path(id, inTrash: inTrash)
          let changed = library.files.changed(path)
          if let entry = former[id], entry.changed == changed, entry.inTrash == inTrash {
            entries[id] = entry
          } else {
            var (take, fault): (Take?, String?) = (nil, nil)
            do throws(SoundFileError) {
              take = try library.read(id, image: contents.images[id], inTrash: inTrash)
            } catch {
              fault = error.description
            }
            entries[id] = Entry(
              changed: changed, inTrash: inTrash, take: take, fault: fault,
              deleted: inTrash ? library.deleted(id) : nil)
          }
          progress(entries.count)
        }
      }
    }
  }
}
