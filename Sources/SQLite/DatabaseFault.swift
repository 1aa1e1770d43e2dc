/// The error type of a database's client.
package protocol DatabaseFault: Error {
  /// Creates an error from SQLite's error code and message, for the database at a path.
  init(code: Int32, path: String, reason: String)
  /// Creates an error for a database that can't be written, with the system's reason.
  init(cannotWrite path: String, reason: String)
}
