internal import Posix
internal import SQLite

/// A connection to a board's SQLite file.
typealias BoardFile = Database<BoardFault>

extension BoardFault: DatabaseFault {
  package init(code: Int32, path: String, reason: String) {
    self.init(.store, "can't use \(path): \(reason)")
  }

  package init(diskFull path: String, reason: String) {
    self.init(.store, "can't write \(path): \(reason)", isDiskFull: true)
  }

  package init(newer path: String) {
    self.init(.store, "\(path) was written by a newer version of Syrinx")
  }

  package init(foreign path: String) {
    self.init(.store, "\(path) is a database of another program")
  }

  package var mayPass: Bool { true }
}

extension BoardFile {
  /// Opens a board's file, created if needed, with a reserve of disk space in bytes if it is written.
  convenience init(board path: String, reserveBytes: Int? = nil) throws(BoardFault) {
    try self.init(path, reserveBytes: reserveBytes)
    try prepare(BoardSQL.schema)
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
