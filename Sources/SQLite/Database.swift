internal import CSQLite
internal import Glibc

/// An open SQLite database with cached statements.
///
/// Not thread-safe. Other processes may use the same file; writers wait for each other for a few
/// seconds.
package final class Database<Fault: DatabaseFault> {
  /// The path of the database file.
  package let path: String
  /// Whether it can't be changed.
  package let isReadOnly: Bool
  /// The SQLite handle.
  package let handle: OpaquePointer
  let waitMilliseconds: Int32
  let reserve: DiskReserve?
  private var statements: [String: Statement<Fault>] = [:]
  private var isInTransaction = false

  /// Opens the database at a path, creating it if necessary.
  ///
  /// Writes wait up to `waitMilliseconds` for other processes. `isReadOnly` says that the file is on a
  /// read-only file system. `reserveBytes` of disk space are kept for `freeing`.
  package init(
    _ path: String, waitMilliseconds: Int32 = 5000, isReadOnly: Bool = false,
    reserveBytes: Int? = nil
  ) throws(Fault) {
    var pointer: OpaquePointer?
    let flags =
      SQLITE_OPEN_NOMUTEX
      | (isReadOnly
        ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    let code = sqlite3_open_v2(
      isReadOnly ? Self.readOnlyName(path) : path, &pointer, flags, nil)
    guard let pointer, code == SQLITE_OK else {
      let reason = pointer.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
      sqlite3_close_v2(pointer)
      throw Fault(code: code, path: path, reason: reason)
    }
    self.path = path
    self.isReadOnly = isReadOnly
    self.waitMilliseconds = waitMilliseconds
    reserve = reserveBytes.map { DiskReserve(of: path, bytes: $0) }
    handle = pointer
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, waitMilliseconds)
  }

  /// The name by which SQLite opens a file that nobody can change.
  ///
  /// Without a write-ahead log it would try to create one, unless told so. The log of a process that was
  /// killed is read, however.
  private static func readOnlyName(_ path: String) -> String {
    var log = stat()
    if stat(path + "-wal", &log) == 0, log.st_size > 0 { return path }
    let escaped = path.utf8.map { byte in
      let isPlain = byte < 128 && byte > 32 && !"%?#".utf8.contains(byte)
      return isPlain
        ? String(UnicodeScalar(byte))
        : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "file:\(escaped.joined())?immutable=1"
  }

  deinit {
    statements.removeAll()
    // Closes when the last statement is finalized.
    sqlite3_close_v2(handle)
  }

  /// Returns the error of SQLite's last call.
  func fault(_ code: Int32) -> Fault {
    switch code & 0xFF {
    case SQLITE_FULL: return Fault(diskFull: path, reason: String(cString: strerror(ENOSPC)))
    case SQLITE_IOERR, SQLITE_CANTOPEN:
      // If there is a system error, such as a full disk, its message is better.
      let number = sqlite3_system_errno(handle)
      if number == ENOSPC || number == EDQUOT || number == EFBIG {
        return Fault(diskFull: path, reason: String(cString: strerror(number)))
      }
    default: break
    }
    return Fault(code: code, path: path, reason: String(cString: sqlite3_errmsg(handle)))
  }

  // MARK: - Statements

  /// Runs statements that return no rows.
  package func execute(_ sql: String) throws(Fault) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw fault(code) }
  }

  /// Returns the cached statement for an SQL text, with values bound to its parameters.
  package func statement(
    _ sql: String, _ values: [StatementValue] = []
  ) throws(Fault) -> Statement<Fault> {
    let kept = statements[sql]
    let statement: Statement<Fault>
    if let kept { statement = kept } else { statement = try Statement(sql, handle, self) }
    statements[sql] = statement
    try statement.bind(values)
    return statement
  }

  /// Runs a statement that returns no rows, and returns the number of changed rows.
  @discardableResult
  package func run(_ sql: String, _ values: [StatementValue] = []) throws(Fault) -> Int {
    let statement = try statement(sql, values)
    defer { statement.reset() }
    while try statement.step() {}
    return Int(sqlite3_changes(handle))
  }

  /// Returns the number in the first column of the first row; 0 if there is no row.
  package func number(_ sql: String, _ values: [StatementValue] = []) throws(Fault) -> Int {
    let statement = try statement(sql, values)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// Returns all rows.
  package func rows<Row>(
    _ sql: String, _ values: [StatementValue] = [], _ make: (Statement<Fault>) -> Row
  ) throws(Fault) -> [Row] {
    let statement = try statement(sql, values)
    defer { statement.reset() }
    var rows: [Row] = []
    while try statement.step() { rows.append(make(statement)) }
    return rows
  }

  /// Runs a transaction, which excludes other writers and either commits or has no effect.
  ///
  /// `undo` is called if it has no effect, because the body or the commit failed.
  package func transaction<Result>(
    undo: () -> Void = {}, _ body: () throws(Fault) -> Result
  ) throws(Fault) -> Result {
    precondition(!isInTransaction, "a transaction in another one")
    try execute("BEGIN IMMEDIATE")
    isInTransaction = true
    defer { isInTransaction = false }
    do throws(Fault) {
      let result = try body()
      try execute("COMMIT")
      reserve?.hold()
      return result
    } catch {
      undo()
      try? execute("ROLLBACK")
      throw error
    }
  }
}
