internal import CSQLite

/// A prepared statement, which is run again and again.
final class Statement {
  /// A value in the place of a question mark.
  enum Value {
    case integer(Int)
    case real(Double)
    case text(String)
    case null
  }

  private let handle: OpaquePointer
  private unowned let database: Database

  init(_ sql: String, _ connection: OpaquePointer, _ database: Database) throws(LibraryFault) {
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard let pointer, code == SQLITE_OK else { throw database.fault(code) }
    handle = pointer
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// Puts values in the places of the question marks; those without a place are left out.
  func bind(_ values: [Value]) throws(LibraryFault) {
    reset()
    let places = 1..<sqlite3_bind_parameter_count(handle) + 1
    for (place, value) in zip(places, values) {
      let code =
        switch value {
        case .integer(let number): sqlite3_bind_int64(handle, place, Int64(number))
        case .real(let number): sqlite3_bind_double(handle, place, number)
        case .text(let text): sq_bind_text(handle, place, text, Int32(text.utf8.count))
        case .null: sqlite3_bind_null(handle, place)
        }
      guard code == SQLITE_OK else { throw database.fault(code) }
    }
  }

  /// Goes to the next row; false where there is none.
  func step() throws(LibraryFault) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.fault(code)
    }
  }

  /// Lets go of the rows.
  func reset() { sqlite3_reset(handle) }

  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func real(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(handle, column)
  }

  /// The key of a take's identifier.
  func key(_ column: Int32) -> TakeKey? {
    guard let text = sqlite3_column_text(handle, column),
      Int(sqlite3_column_bytes(handle, column)) == TakeKey.textBytes
    else { return nil }
    return TakeKey(text)
  }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }
}

extension Statement.Value {
  static func real(_ number: Double?) -> Self { number.map { Self.real($0 as Double) } ?? .null }

  static func integer(_ number: Int?) -> Self { number.map { Self.integer($0 as Int) } ?? .null }
}
