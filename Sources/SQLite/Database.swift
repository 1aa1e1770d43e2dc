internal import CSQLite
internal import Glibc

/// An open SQLite database, with its statements kept for the next time.
///
/// One thread at a time. Other processes may use the same file: one that writes waits for the
/// other some seconds.
package final class Database<Fault: DatabaseFault> {
  /// The path of its file.
  package let path: String
  /// SQLite's own handle.
  package let handle: OpaquePointer
  private var statements: [String: Statement<Fault>] = [:]
  private var isInTransaction = false

  /// Opens the one at a path, which is made if it is not there; another process that writes is waited
  /// for so long.
  package init(_ path: String, waitMilliseconds: Int32 = 5000) throws(Fault) {
    var pointer: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &pointer, flags, nil)
    guard let pointer, code == SQLITE_OK else {
      let reason = pointer.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
      sqlite3_close_v2(pointer)
      throw Fault(code: code, path: path, reason: reason)
    }
    self.path = path
    handle = pointer
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, waitMilliseconds)
  }

  deinit {
    statements.removeAll()
    // Closes when the last statement is gone, too.
    sqlite3_close_v2(handle)
  }

  /// Reads SQLite's error message for its last call.
  func fault(_ code: Int32) -> Fault {
    // The system's own reason, where it is one, is the better one.
    let number = sqlite3_system_errno(handle)
    guard code & 0xFF == SQLITE_IOERR, number == ENOSPC || number == EDQUOT || number == EFBIG
    else {
      return Fault(code: code, path: path, reason: String(cString: sqlite3_errmsg(handle)))
    }
    return Fault(cannotWrite: path, reason: String(cString: strerror(number)))
  }

  // MARK: - Statements

  /// Runs statements that give no rows.
  package func execute(_ sql: String) throws(Fault) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw fault(code) }
  }

  /// The statement of a text, with values in the places of its question marks.
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

  /// Runs one that gives no rows; returns how many it changed.
  @discardableResult
  package func run(_ sql: String, _ values: [StatementValue] = []) throws(Fault) -> Int {
    let statement = try statement(sql, values)
    defer { statement.reset() }
    while try statement.step() {}
    return Int(sqlite3_changes(handle))
  }

  /// The number in the first row's first column; 0 where there is no row.
  package func number(_ sql: String, _ values: [StatementValue] = []) throws(Fault) -> Int {
    let statement = try statement(sql, values)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// All rows.
  package func rows<Row>(
    _ sql: String, _ values: [StatementValue] = [], _ make: (Statement<Fault>) -> Row
  ) throws(Fault) -> [Row] {
    let statement = try statement(sql, values)
    defer { statement.reset() }
    var rows: [Row] = []
    while try statement.step() { rows.append(make(statement)) }
    return rows
  }

  /// Runs a transaction: all of it or nothing, and no other process writes meanwhile.
  ///
  /// `undo` is called where it was done, and could then not be kept.
  package func transaction<Result>(
    undo: () -> Void = {}, _ body: () throws(Fault) -> Result
  ) throws(Fault) -> Result {
    precondition(!isInTransaction, "a transaction in another one")
    try execute("BEGIN IMMEDIATE")
    isInTransaction = true
    defer { isInTransaction = false }
    let result: Result
    do throws(Fault) {
      result = try body()
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
    do throws(Fault) {
      try execute("COMMIT")
    } catch {
      undo()
      try? execute("ROLLBACK")
      throw error
    }
    return result
  }
}
