internal import Glibc
internal import Posix
internal import SQLite
internal import SoundFiles

/// The differences between files and database that `TakeLibrary.adopt` found.
package struct Adoption: Equatable, Sendable {
  /// Takes whose file had no row.
  package var adopted: [String] = []
  /// The adopted takes whose recording had been interrupted.
  package var recovered: [String] = []
  /// Takes whose file is missing.
  package var gone: [String] = []
  /// The unreadable files, which were left alone, each with the reason in one line.
  package var unreadable: [String] = []
}

extension TakeLibrary {
  /// Reconciles the database with the files, after a crash or after files were moved by hand.
  ///
  /// Fast if nothing changed.
  ///
  /// An interrupted recording is repaired and becomes a take with a mark in its title. The row of a
  /// take without a file is removed, and is restored when the file comes back.
  package func adopt() throws(LibraryFault) -> Adoption {
    var result = Adoption()
    for id in try database.rows(SQL.untold, [], { $0.text(0) }) {
      do throws(LibraryFault) {
        try tell(id)
      } catch {
        // A missing file is handled below.
        if error.kind != .missing { result.unreadable.append(error.message) }
      }
    }
    let (shown, trashed) = (files.census(), files.census(inTrash: true))
    let rows = try database.rows(SQL.ids, [], { $0.key(0) }).compactMap(\.self)
    let rowsInTrash = try database.rows(SQL.trashedIDs, [], { $0.key(0) }).compactMap(\.self)
    if shown.takes.isEmpty, trashed.takes.isEmpty, rows.count > 1 {
      throw LibraryFault(
        .missing,
        "none of the \(rows.count) takes is in \(files.folder); is its disk mounted? "
          + "Nothing was changed")
    }
    let rowsShown = TakeKey.difference(rows, rowsInTrash)
    try settle(TakeKey.difference(rowsShown, shown.takes), inTrash: false, &result)
    try settle(TakeKey.difference(rowsInTrash, trashed.takes), inTrash: true, &result)
    result.gone.sort()
    let new = TakeKey.difference(shown.takes, rows)
    try adopt(new, inTrash: false, &result)
    try adopt(
      TakeKey.difference(TakeKey.difference(trashed.takes, rows), new), inTrash: true, &result)
    for id in shown.copies { removeCopy(id) }
    for id in shown.recordings { recover(id, &result) }
    return result
  }

  /// Resolves rows whose files are not where the rows say.
  private func settle(
    _ keys: [TakeKey], inTrash isTrashed: Bool, _ result: inout Adoption
  ) throws(LibraryFault) {
    for key in keys {
      let id = key.id
      // The folder was listed without the database lock, so another process may be moving the file.
      let isGone = try database.transaction { () throws(LibraryFault) in
        guard try database.number(SQL.isKnown, [.text(id)]) == 1 else { return false }
        let take = try row(id)
        let (isShown, isInTrash) = (
          Files.exist(files.path(id)), Files.exist(files.path(id, inTrash: true))
        )
        switch (isShown, isInTrash) {
        case (false, false):
          try database.run(SQL.remove, [.text(id)])
          return true
        case (true, false) where isTrashed: try files.move(take, toTrash: true)
        case (false, true) where !isTrashed:
          try database.run(
            SQL.setDeleted, [.text(id), .integer(ZonedDate.now.microseconds)])
        default: break
        }
        return false
      }
      if isGone { result.gone.append(id) }
    }
  }

  /// Adds rows for files.
  private func adopt(
    _ keys: [TakeKey], inTrash: Bool, _ result: inout Adoption
  ) throws(LibraryFault) {
    if keys.isEmpty { return }
    let contents = files.contents(inTrash: inTrash)
    var rest = keys.map(\.id)[...]
    while !rest.isEmpty {
      // Batches: fewer waits for the disk than one transaction per take, and other processes need
      // not wait for all of them.
      let some = rest.prefix(200)
      rest = rest.dropFirst(200)
      try database.transaction { () throws(LibraryFault) in
        for id in some where try database.number(SQL.isKnown, [.text(id)]) == 0 {
          do throws(SoundFileError) {
            let take = try read(id, image: contents.images[id], inTrash: inTrash)
            insertAdopted(take, inTrash: inTrash, &result)
          } catch {
            // A file deleted in the meantime needs no row.
            if error.kind != .missing { result.unreadable.append(error.description) }
          }
        }
      }
    }
  }

  private func insertAdopted(
    _ take: Take, inTrash: Bool, _ result: inout Adoption
  ) {
    do throws(LibraryFault) {
      try insert(take, deleted: inTrash ? deleted(take.id) : nil)
      result.adopted.append(take.id)
    } catch {
      result.unreadable.append("\(files.path(take.id, inTrash: inTrash)): \(error.message)")
    }
  }

  /// Returns the time at which a take was moved to the trash, in microseconds since 1970, from its
  /// file's change time.
  func deleted(_ id: String) -> Int { files.changed(files.path(id, inTrash: true)) / 1000 }

  /// Reads a take from the tags of its file.
  func read(_ id: String, image: String?, inTrash: Bool) throws(SoundFileError) -> Take {
    let path = files.path(id, inTrash: inTrash)
    let file = try WaveFile(path, to: .read)
    let layout = try WaveLayout(file)
    var take = Take(
      id: id, try WaveTags.read(file, layout), layout, fallback: TakeFiles.modified(path) ?? .now)
    take.image = image ?? ""
    return take
  }

  // MARK: - Interrupted recordings

  private func removeCopy(_ id: String) {
    guard let file = try? WaveFile(files.copy(id), to: .change), file.lock() else { return }
    Files.remove(files.copy(id))
  }

  /// Makes a take from a recording whose process has ended.
  private func recover(_ id: String, _ result: inout Adoption) {
    let (path, place) = (files.recording(id), files.path(id))
    do throws(LibraryFault) {
      guard let (take, tags) = try asLibrary({ () throws(SoundFileError) in try mend(id, path) })
      else { return }
      var isMoved = false
      let isAdded = try database.transaction(undo: { if isMoved { rename(place, path) } }) {
        () throws(LibraryFault) in
        // Its own process completed it in the meantime.
        guard Files.exist(path), try database.number(SQL.isKnown, [.text(id)]) == 0 else {
          return false
        }
        try asLibrary { () throws(SoundFileError) in
          try WaveTags.replace(path, with: take.tags(loop: tags.loop, beat: tags.beat))
        }
        try insert(take)
        try files.move(path, to: place)
        isMoved = true
        try files.keepNames()
        return true
      }
      guard isAdded else { return }
      result.adopted.append(id)
      result.recovered.append(id)
    } catch {
      if Files.exist(path) { result.unreadable.append(error.message) }
    }
  }

  /// Repairs a recording.
  ///
  /// Returns nil if it is still in progress, or if it has no sound, in which case it is deleted.
  private func mend(
    _ id: String, _ path: String
  ) throws(SoundFileError) -> (take: Take, tags: WaveTags)? {
    let file = try WaveFile(path, to: .change)
    guard file.lock() else { return nil }
    guard file.length > 0, try WaveRepair.repair(file, longest: WaveHead.longest) > 0 else {
      Files.remove(path)
      return nil
    }
    let layout = try WaveLayout(file)
    let tags = try WaveTags.read(file, layout)
    var take = Take(id: id, tags, layout, fallback: TakeFiles.modified(path) ?? .now)
    if !Take.isTold(by: tags) { take.source = .live }
    if !take.title.hasSuffix(Self.recoveredMark) { take.title += Self.recoveredMark }
    var reader = try SoundReader(path)
    let measured = try Self.measure(&reader)
    (take.peak, take.loudness) = (measured.peak, measured.integrated)
    return (take, tags)
  }

  private static var recoveredMark: String { " (recovered)" }
}
