/// The reason why a database does not do what it was told, as who uses it has his faults.
package protocol DatabaseFault: Error {
  /// Translates SQLite's error code for the database at a path; the reason is its own words.
  init(code: Int32, path: String, reason: String)
  /// Tells that the database at a path can't be written, for a reason of the system's.
  init(cannotWrite path: String, reason: String)
}
