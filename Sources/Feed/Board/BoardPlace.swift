/// The place of a board's database: a file, or a database on a PostgreSQL server.
package enum BoardPlace: Equatable, Sendable, CustomStringConvertible {
  case file(String)
  case postgres(String)

  /// The place that a text names; nil where it is empty, or a URL of another kind.
  package init?(_ text: String) {
    if ["postgresql://", "postgres://"].contains(where: text.hasPrefix) {
      self = .postgres(text)
    } else if text.isEmpty || text.contains("://") {
      return nil
    } else {
      self = .file(text)
    }
  }

  /// The path of the file, or the kind of server: the URL of one may have a password in it.
  package var description: String {
    switch self {
    case .file(let path): path
    case .postgres: "postgresql"
    }
  }

  /// Opens the store there.
  package func open() throws(BoardFault) -> any BoardStore {
    switch self {
    case .file(let path): try SQLiteStore(path: path)
    case .postgres(let url): try PostgresStore(url: url)
    }
  }
}
