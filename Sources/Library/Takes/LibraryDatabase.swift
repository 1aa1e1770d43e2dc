internal import CSQLite
internal import SQLite

/// The database of a take library.
typealias LibraryDatabase = Database<LibraryFault>

extension LibraryFault: DatabaseFault {
  package init(diskFull path: String, reason: String) {
    self.init(.io, "can't write \(path): \(reason)", isDiskFull: true)
  }

  package init(newer path: String) {
    self.init(
      .broken, "\(path) was written by a newer version of Syrinx, which is required to use it")
  }

  package init(foreign path: String) {
    self.init(.broken, "\(path) is a database of another program; move it away")
  }

  package var mayPass: Bool { kind == .busy }
}

extension LibraryDatabase {
  /// Registers the SQL function `kilometers(latitude, longitude, latitude, longitude)`.
  func addDistance() {
    sqlite3_create_function_v2(
      handle, "kilometers", 4, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, _, values in
        guard let values else { return }
        let distance = Place(sqlite3_value_double(values[0]), sqlite3_value_double(values[1]))
          .kilometers(to: Place(sqlite3_value_double(values[2]), sqlite3_value_double(values[3])))
        sqlite3_result_double(context, distance)
      }, nil, nil, nil)
  }
}

extension Statement where Fault == LibraryFault {
  /// Parses the key of a take's ID in a column.
  func key(_ column: Int32) -> TakeKey? {
    guard let text = sqlite3_column_text(handle, column),
      Int(sqlite3_column_bytes(handle, column)) == TakeKey.textBytes
    else { return nil }
    return TakeKey(text)
  }
}
