/// The location of a board's database: a file, or a database on a PostgreSQL server.
package enum BoardPlace: Equatable, Sendable, CustomStringConvertible {
  case file(String)
  case postgres(String)

  /// Parses a location.
  ///
  /// Returns nil if it is empty or an unsupported URL.
  package init?(_ text: String) {
    if ["postgresql://", "postgres://"].contains(where: text.hasPrefix) {
      self = .postgres(text)
    } else if text.isEmpty || text.contains("://") {
      return nil
    } else {
      self = .file(text)
    }
  }

  /// The path of the file, or the kind of server.
  ///
  /// A server URL may contain a password, so it isn't shown.
  package var description: String {
    switch self {
    case .file(let path): path
    case .postgres: "postgresql"
    }
  }

  /// Opens the store.
  package func open() throws(BoardFault) -> any BoardStore {
    switch self {
    case .file(let path): try SQLiteStore(path: path)
    case .postgres(let url): try PostgresStore(url: url)
    }
  }
}
