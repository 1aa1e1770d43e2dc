package import Posix
internal import SQLite

extension TakeLibrary {
  /// The days for which a deleted take can be restored from the trash.
  package static let trashDays = 30

  /// Moves a take to the trash.
  package func delete(_ id: String, at date: ZonedDate = .now) throws(LibraryFault) {
    try move(try take(id), toTrash: date)
  }

  /// Takes a take out of the trash.
  @discardableResult
  package func restore(_ id: String) throws(LibraryFault) -> Take {
    let take = try trashed(id)
    try move(take, toTrash: nil)
    return take
  }

  private func move(_ take: Take, toTrash date: ZonedDate?) throws(LibraryFault) {
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
  ///
  /// Only days on which it was looked for count, one for each look at most: a clock that leaps, as
  /// that of a machine without a battery does, brings nothing to its end. Below 0 days, all goes.
  @discardableResult
  package func emptyTrash(
    olderThanDays days: Int = trashDays, at date: ZonedDate = .now
  ) throws(LibraryFault) -> Int {
    let now = date.microseconds
    let takes = try database.transaction { () throws(LibraryFault) in
      if days >= 0 { try passTimeInTrash(to: now) }
      let limit = now - days * Self.day
      let takes = try database.rows(SQL.trashedBefore, [.integer(limit)], Take.init(row:))
      for take in takes { try database.run(SQL.remove, [.text(take.id)]) }
      return takes
    }
    for take in takes { try files.delete(take) }
    return takes.count
  }

  private static var day: Int { 86_400_000_000 }

  /// Moves the times of deletion on by all that has passed since the last look beyond a day, which
  /// is a leap of the clock, or time in which nobody could have restored anything.
  private func passTimeInTrash(to now: Int) throws(LibraryFault) {
    try database.execute(SQL.trashLooks)
    let last = try database.rows(SQL.lastTrashLook) { $0.integer(0) }.first
    try database.run(SQL.setTrashLook, [.integer(now)])
    let surplus = max(0, now - (last ?? now) - Self.day)
    // What would lie in the future was deleted before a leap back, or after one onward.
    try database.run(SQL.delayTrash, [.integer(now), .integer(surplus)])
  }
}
