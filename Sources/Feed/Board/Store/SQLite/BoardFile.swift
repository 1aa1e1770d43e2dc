internal import Glibc
internal import Posix
internal import SQLite

/// A connection to a board's SQLite file.
typealias BoardFile = Database<BoardFault>

extension BoardFault: DatabaseFault {
  package init(code: Int32, path: String, reason: String) {
    self.init(.store, "can't use \(path): \(reason)")
  }

  package init(cannotWrite path: String, reason: String) {
    self.init(.store, "can't write \(path): \(reason)")
  }
}

extension BoardFile {
  /// Opens a board's file, created if needed.
  convenience init(board path: String) throws(BoardFault) {
    try self.init(path)
    if try isBoard() {
      try execute(BoardSQL.open)
      return
    }
    try startLog()
    try transaction { () throws(BoardFault) in
      // Another process may have been faster.
      if try !isBoard() { try execute(BoardSQL.schema) }
    }
  }

  /// Whether the schema exists.
  ///
  /// Throws if there is a foreign one.
  private func isBoard() throws(BoardFault) -> Bool {
    let identity = try rows(BoardSQL.identity) { ($0.integer(0), $0.integer(1), $0.integer(2)) }
    guard let (application, version, tables) = identity.first else { return false }
    if application == BoardSQL.application {
      guard version <= BoardSQL.version else {
        throw BoardFault(.store, "\(path) was made by a newer version of Syrinx")
      }
      return true
    }
    guard application == 0, version == 0, tables == 0 else {
      throw BoardFault(.store, "\(path) is the database of another program")
    }
    return false
  }

  /// Initializes a new file.
  ///
  /// SQLite's busy timeout doesn't cover another process doing the same.
  private func startLog() throws(BoardFault) {
    for round in 1... {
      do throws(BoardFault) {
        try execute(BoardSQL.open)
        return
      } catch {
        guard round < 100 else { throw error }
        usleep(20_000)
      }
    }
  }
}

extension Post {
  init(row: Statement<BoardFault>) {
    self.init(
      number: row.integer(0), id: row.text(1), name: row.text(2), message: row.text(3),
      date: ZonedDate(microseconds: row.integer(4), zoneMinutes: row.integer(5)))
    guard let kind = SoundKind(rawValue: row.text(6)) else { return }
    sound = Sound(seconds: row.real(7) ?? 0, bytes: row.integer(8), kind: kind)
  }
}
