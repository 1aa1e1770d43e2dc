internal import Glibc

/// The schema of a program's database files, by which they are recognized.
package struct DatabaseSchema: Sendable {
  /// The application ID of the file.
  package let application: Int
  /// The version of the schema.
  package let version: Int
  let creation: String
  let pragmas: String
  let tables: String

  /// Creates a schema.
  ///
  /// `creation` applies to a new file, and `pragmas` to each connection.
  /// `tables` creates the tables of a new file.
  package init(
    application: Int, version: Int, creation: String = "", pragmas: String, tables: String
  ) {
    self.application = application
    self.version = version
    self.creation = creation
    self.pragmas = pragmas
    self.tables = """
      \(tables)
      PRAGMA application_id = \(application);
      PRAGMA user_version = \(version);
      """
  }
}

extension Database {
  // A single statement sees a consistent snapshot. Another process may be creating the database.
  private static var identity: String {
    """
    SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
    FROM pragma_application_id, pragma_user_version
    """
  }

  /// Prepares the connection, and creates the schema in a new file.
  ///
  /// Throws if the file has another schema, or a newer version of it.
  package func prepare(_ schema: DatabaseSchema) throws(Fault) {
    if isReadOnly {
      guard try has(schema) else { throw Fault(foreign: path) }
      return try execute("PRAGMA temp_store = MEMORY")
    }
    // Opening takes space, too, for files that SQLite shares with other processes.
    try freeing { () throws(Fault) in try open(schema) }
    reserve?.hold()
  }

  private func open(_ schema: DatabaseSchema) throws(Fault) {
    guard try !has(schema) else { return try execute(schema.pragmas) }
    try startLog(schema)
    try transaction { () throws(Fault) in
      // Another process may have been faster.
      if try !has(schema) { try execute(schema.tables) }
    }
  }

  /// Whether the schema exists.
  private func has(_ schema: DatabaseSchema) throws(Fault) -> Bool {
    let identity = try rows(Self.identity) { ($0.integer(0), $0.integer(1), $0.integer(2)) }
    guard let (application, version, tables) = identity.first else { return false }
    guard application != schema.application else {
      guard version <= schema.version else { throw Fault(newer: path) }
      return true
    }
    guard application == 0, version == 0, tables == 0 else { throw Fault(foreign: path) }
    return false
  }

  /// Initializes a new file.
  ///
  /// SQLite's busy timeout doesn't cover another process doing the same.
  private func startLog(_ schema: DatabaseSchema) throws(Fault) {
    for round in 1... {
      do throws(Fault) {
        return try execute(schema.creation + schema.pragmas)
      } catch {
        guard error.mayPass, round < 100 else { throw error }
        usleep(20_000)
      }
    }
  }
}
