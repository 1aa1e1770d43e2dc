internal import CSQLite

/// A reusable prepared statement.
package final class Statement<Fault: DatabaseFault> {
  /// The SQLite handle.
  package let handle: OpaquePointer
  private unowned let database: Database<Fault>

  init(_ sql: String, _ connection: OpaquePointer, _ database: Database<Fault>) throws(Fault) {
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard let pointer, code == SQLITE_OK else { throw database.fault(code) }
    handle = pointer
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// Binds values to the parameters; surplus values are ignored.
  package func bind(_ values: [StatementValue]) throws(Fault) {
    reset()
    let places = 1..<sqlite3_bind_parameter_count(handle) + 1
    for (place, value) in zip(places, values) {
      let code =
        switch value {
        case .integer(let number): sqlite3_bind_int64(handle, place, Int64(number))
        case .real(let number): sqlite3_bind_double(handle, place, number)
        case .text(let text): sq_bind_text(handle, place, text, Int32(text.utf8.count))
        case .bytes(let bytes): sq_bind_bytes(handle, place, bytes, Int32(bytes.count))
        case .null: sqlite3_bind_null(handle, place)
        }
      guard code == SQLITE_OK else { throw database.fault(code) }
    }
  }

  /// Advances to the next row.
  ///
  /// Returns false at the end.
  package func step() throws(Fault) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.fault(code)
    }
  }

  /// Resets the statement, which releases its rows.
  package func reset() { sqlite3_reset(handle) }

  /// Returns a column as an integer.
  package func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  /// Whether a column is NULL.
  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  /// Returns a column as a number, or nil if it is NULL.
  package func real(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(handle, column)
  }

  /// Returns a column as text; empty if it is NULL.
  package func text(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }

  /// Returns a column as bytes; empty if it is NULL.
  package func bytes(_ column: Int32) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(handle, column))
    guard count > 0, let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
