package import Posix
internal import SQLite

extension TakeLibrary {
  /// The number of days that a deleted take stays in the trash.
  package static let trashDays = 30

  /// Moves a take to the trash.
  package func delete(_ id: String, at date: ZonedDate = .now) throws(LibraryFault) {
    try database.freeing { () throws(LibraryFault) in try move(try take(id), toTrash: date) }
  }

  /// Restores a take from the trash.
  @discardableResult
  package func restore(_ id: String) throws(LibraryFault) -> Take {
    let take = try trashed(id)
    try move(take, toTrash: nil)
    return take
  }

  private func move(_ take: Take, toTrash date: ZonedDate?) throws(LibraryFault) {
    var isMoved = false
    try database.transaction(
      undo: { if isMoved { try? files.move(take, toTrash: date == nil) } }
    ) { () throws(LibraryFault) in
      try database.run(
        SQL.setDeleted, [.text(take.id), .integer(date.map { $0.microseconds })])
      try files.move(take, toTrash: date != nil)
      isMoved = true
    }
  }

  /// Permanently deletes takes that have been in the trash for more than `days`, and returns their
  /// number.
  ///
  /// Each call counts at most one day, so a jump of the clock, as on a machine without a battery,
  /// expires nothing early. Below 0 days, everything is deleted.
  @discardableResult
  package func emptyTrash(
    olderThanDays days: Int = trashDays, at date: ZonedDate = .now
  ) throws(LibraryFault) -> Int {
    let now = date.microseconds
    let takes = try database.freeing { () throws(LibraryFault) in
      try database.transaction { () throws(LibraryFault) in
        if days >= 0 { try passTimeInTrash(to: now) }
        let limit = now - days * Self.day
        let takes = try database.rows(SQL.trashedBefore, [.integer(limit)], Take.init(row:))
        for take in takes { try database.run(SQL.remove, [.text(take.id)]) }
        return takes
      }
    }
    for take in takes { try files.delete(take) }
    if !takes.isEmpty { try files.keepTrash() }
    return takes.count
  }

  private static var day: Int { 86_400_000_000 }

  /// Shifts the deletion times by the time since the last check in excess of a day, which is a
  /// clock jump, or a time when no node could restore takes.
  private func passTimeInTrash(to now: Int) throws(LibraryFault) {
    try database.execute(SQL.trashLooks)
    let last = try database.rows(SQL.lastTrashLook) { $0.integer(0) }.first
    try database.run(SQL.setTrashLook, [.integer(now)])
    let surplus = max(0, now - (last ?? now) - Self.day)
    // Deletion times in the future predate a backward jump, or follow a forward one.
    try database.run(SQL.delayTrash, [.integer(now), .integer(surplus)])
  }
}
