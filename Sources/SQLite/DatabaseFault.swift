/// The error type of a database's client.
package protocol DatabaseFault: Error {
  /// Creates an error from SQLite's error code and message, for the database at a path.
  init(code: Int32, path: String, reason: String)
  /// Creates an error for a database that can't be written, with the system's reason.
  init(cannotWrite path: String, reason: String)
  /// Creates an error for a database that a newer version of the program made.
  init(newer path: String)
  /// Creates an error for the database of another program.
  init(foreign path: String)
  /// Whether another attempt may succeed.
  var mayPass: Bool { get }
}
