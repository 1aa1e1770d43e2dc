internal import CPostgres
internal import Glibc

/// The reason why a statement on a server failed.
enum PostgresFault: Error {
  /// The connection was lost or can't be made. The statement may have been executed.
  case lost(String)
  case refused(String)
}

/// A connection to a PostgreSQL server.
///
/// One thread at a time.
final class PostgresConnection: @unchecked Sendable {
  /// The value of a numbered parameter.
  enum Value {
    case text(String?)
    case bytes([UInt8]?)
    case integer(Int?)
    case real(Double?)
  }

  private let handle: OpaquePointer
  private var prepared: Set<String> = []

  /// Connects to a URL, which may contain settings of its own.
  init(_ url: String) throws(PostgresFault) {
    // The URL overrides the settings before it, but not those after it.
    let settings = [
      ("connect_timeout", "5"), ("tcp_user_timeout", "10000"),
      ("fallback_application_name", "syrinx"), ("dbname", url), ("client_encoding", "UTF8"),
    ]
    let pointer = Self.withTexts(settings.map(\.0) + [nil]) { names in
      Self.withTexts(settings.map(\.1) + [nil]) { values in PQconnectdbParams(names, values, 1) }
    }
    guard let pointer else { throw .lost("no memory") }
    handle = pointer
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    guard PQstatus(handle) == CONNECTION_OK else { throw .lost(line) }
  }

  deinit { PQfinish(handle) }

  /// The last error message of the server or the library, in one line.
  private var line: String {
    let lines = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline)
    return lines.first.map(String.init) ?? "no reason given"
  }

  // MARK: - Statements

  /// Executes statements without parameters.
  func execute(_ text: String) throws(PostgresFault) {
    _ = try check(PQexec(handle, text))
  }

  /// Executes a query without parameters, and returns the integer in its first row and column.
  func number(_ text: String) throws(PostgresFault) -> Int {
    try check(PQexec(handle, text)).integer(0, 0)
  }

  /// Executes a prepared statement.
  ///
  /// Its rows are in text format, or in binary format.
  func run(
    _ statement: PostgresStatement, _ values: [Value], binary: Bool = false
  ) throws(PostgresFault) -> PostgresRows {
    if prepared.insert(statement.name).inserted {
      do throws(PostgresFault) {
        _ = try check(PQprepare(handle, statement.name, statement.text, 0, nil))
      } catch {
        prepared.remove(statement.name)
        throw error
      }
    }
    // A single allocation, so that the parameters don't move while libpq reads them.
    var memory: [UInt8] = []
    var (places, lengths, formats): ([Int?], [Int32], [Int32]) = ([], [], [])
    for value in values {
      let start = memory.count
      var isThere = true
      var isBinary = false
      switch value {
      case .text(let text?): memory += text.utf8
      case .integer(let number?): memory += String(number).utf8
      case .real(let number?): memory += "\(number)".utf8
      case .bytes(let bytes?):
        memory += bytes
        isBinary = true
      default: isThere = false
      }
      places.append(isThere ? start : nil)
      lengths.append(Int32(memory.count - start))
      formats.append(isBinary ? 1 : 0)
      memory.append(0)
    }
    let result = memory.withUnsafeBytes { memory in
      let start = memory.bindMemory(to: CChar.self).baseAddress
      let pointers = places.map { place in place.flatMap { start?.advanced(by: $0) } }
      return PQexecPrepared(
        handle, statement.name, Int32(values.count), pointers, lengths, formats, binary ? 1 : 0)
    }
    return try check(result)
  }

  private func check(_ result: OpaquePointer?) throws(PostgresFault) -> PostgresRows {
    guard let result else { throw .lost(line) }
    let rows = PostgresRows(result)
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return rows
    default: throw PQstatus(handle) == CONNECTION_OK ? .refused(line) : .lost(line)
    }
  }

  private static func withTexts<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = texts.map { $0.flatMap { strdup($0) } }
    defer { for copy in copies { free(copy) } }
    return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}

/// The rows of a result.
final class PostgresRows {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { PQclear(handle) }

  /// The indices of the rows.
  var indices: Range<Int32> { 0..<PQntuples(handle) }

  /// Whether there are no rows.
  var isEmpty: Bool { indices.isEmpty }

  /// Whether a value is NULL.
  func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(handle, row, column) != 0 }

  /// Returns a value as text.
  func text(_ row: Int32, _ column: Int32) -> String {
    PQgetvalue(handle, row, column).map { String(cString: $0) } ?? ""
  }

  /// Returns a value as an integer, or 0 if there is none.
  func integer(_ row: Int32, _ column: Int32) -> Int {
    isEmpty ? 0 : Int(text(row, column)) ?? 0
  }

  /// Returns a Boolean value.
  func flag(_ row: Int32, _ column: Int32) -> Bool { text(row, column) == "t" }

  /// Returns the bytes of a value in binary format.
  func bytes(_ row: Int32, _ column: Int32) -> [UInt8] {
    guard let start = PQgetvalue(handle, row, column) else { return [] }
    let count = Int(PQgetlength(handle, row, column))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
