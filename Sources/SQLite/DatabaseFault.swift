/// The error type of a database's client.
package protocol DatabaseFault: Error {
  /// Creates an error from SQLite's error code and message, for the database at a path.
  init(code: Int32, path: String, reason: String)
  /// Creates an error for a database whose disk has no space left, with the system's reason.
  init(diskFull path: String, reason: String)
  /// Creates an error for a database that a newer version of the program made.
  init(newer path: String)
  /// Creates an error for the database of another program.
  init(foreign path: String)
  /// Whether another attempt may succeed.
  var mayPass: Bool { get }
  /// Whether the disk has no space left.
  var isDiskFull: Bool { get }
}
