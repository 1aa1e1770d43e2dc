internal import CSQLite

extension Database {
  /// The free bytes of the disk, or nil if unknown.
  package var freeBytes: Int? { DiskReserve.freeBytes(near: path) }

  /// Runs work that frees space, such as a deletion.
  ///
  /// If the disk is full, `body` runs a second time with the space of the reserve. It must undo what a
  /// failed run did.
  package func freeing<Result>(_ body: () throws(Fault) -> Result) throws(Fault) -> Result {
    do throws(Fault) {
      return try body()
    } catch {
      guard error.isDiskFull, let reserve else { throw error }
      reserve.release()
      // A failed transaction may have left the log as large as the disk permits.
      truncateLog()
      // To overwrite the deleted content, the log would need as much space as that has.
      let overwrites = (try? number("PRAGMA secure_delete")) == 1
      if overwrites { try? execute("PRAGMA secure_delete = FAST") }
      defer {
        if overwrites { try? execute("PRAGMA secure_delete = ON") }
        truncateLog()
        reserve.hold(again: true)
      }
      return try body()
    }
  }

  /// Writes the log to the database file and empties it, as far as other connections permit without
  /// waiting for them.
  package func truncateLog() {
    sqlite3_busy_timeout(handle, 0)
    defer { sqlite3_busy_timeout(handle, waitMilliseconds) }
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
  }

  /// Returns up to `pages` pages of deleted rows to the disk.
  ///
  /// Returns false if there are none, or the file was created without this possibility.
  package func returnPages(atMost pages: Int) throws(Fault) -> Bool {
    let before = try number("PRAGMA freelist_count")
    guard before > 0 else { return false }
    try freeing { () throws(Fault) in try execute("PRAGMA incremental_vacuum(\(pages))") }
    truncateLog()
    return try number("PRAGMA freelist_count") < before
  }
}
