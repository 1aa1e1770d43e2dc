extension TakeLibrary {
  /// How long what is deleted can be restored.
  package static let trashDays = 30

  /// Moves a take to the trash.
  package func delete(_ id: String, at date: TakeDate = .now) throws(LibraryFault) {
    try move(try take(id), toTrash: date)
  }

  /// Takes a take out of the trash.
  @discardableResult
  package func restore(_ id: String) throws(LibraryFault) -> Take {
    let take = try trashed(id)
    try move(take, toTrash: nil)
    return take
  }

  private func move(_ take: Take, toTrash date: TakeDate?) throws(LibraryFault) {
    var isMoved = false
    func undo() {
      if isMoved { try? files.move(take, toTrash: date == nil) }
    }
    do throws(LibraryFault) {
      try database.transaction { () throws(LibraryFault) in
        try database.run(
          SQL.setDeleted, [.text(take.id), .integer(date.map { $0.microseconds })])
        try files.move(take, toTrash: date != nil)
        isMoved = true
      }
    } catch {
      undo()
      throw error
    }
  }

  /// Deletes for good what has been in the trash for longer than so many days; returns how many
  /// takes that were.
  @discardableResult
  package func emptyTrash(
    olderThanDays days: Int = trashDays, at date: TakeDate = .now
  ) throws(LibraryFault) -> Int {
    let limit = date.microseconds - days * 86_400_000_000
    let takes = try database.transaction { () throws(LibraryFault) in
      let takes = try database.rows(SQL.trashedBefore, [.integer(limit)], Take.init(row:))
      for take in takes { try database.run(SQL.remove, [.text(take.id)]) }
      return takes
    }
    for take in takes { try files.delete(take) }
    return takes.count
  }
}
