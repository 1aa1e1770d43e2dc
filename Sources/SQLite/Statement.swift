internal import CSQLite

/// A prepared statement, which is run again and again.
package final class Statement<Fault: DatabaseFault> {
  /// SQLite's own handle.
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

  /// Puts values in the places of the question marks; those without a place are left out.
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

  /// Goes to the next row; false where there is none.
  package func step() throws(Fault) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.fault(code)
    }
  }

  /// Lets go of the rows.
  package func reset() { sqlite3_reset(handle) }

  /// The whole number in a column.
  package func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  /// Whether a column has no value.
  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  /// The number in a column; nil where it has no value.
  package func real(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(handle, column)
  }

  /// The text in a column; empty where it has no value.
  package func text(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }

  /// The bytes in a column; none where it has no value.
  package func bytes(_ column: Int32) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(handle, column))
    guard count > 0, let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
