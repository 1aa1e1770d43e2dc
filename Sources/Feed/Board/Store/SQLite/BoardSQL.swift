/// The schema of a board's file, and all SQL statements.
enum BoardSQL {
  /// The application ID of a board's file: "SyrB" in ASCII.
  static let application = 0x5379_7242
  /// The version of the schema.
  static let version = 1

  static let open = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 4000;
    """

  // A deleted post leaves its row with nothing but its ID, so that sending it again can't restore
  // it. The index omits such rows, and a page never scans them.
  static let schema = """
    CREATE TABLE posts (
      number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 2147483647),
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      message TEXT NOT NULL,
      time INTEGER NOT NULL,
      zone INTEGER NOT NULL,
      kind TEXT,
      seconds REAL,
      bytes INTEGER,
      secret BLOB NOT NULL,
      removed INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX posts_shown ON posts (number) WHERE removed = 0;
    CREATE INDEX posts_by_name ON posts (name) WHERE removed = 0;
    CREATE TABLE sounds (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    """

  // A single statement sees a consistent snapshot. Another process may be creating the database.
  static let identity = """
    SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
    FROM pragma_application_id, pragma_user_version
    """

  private static let columns = "number, id, name, message, time, zone, kind, seconds, bytes"

  static let nextNumber = "SELECT coalesce(max(number), 0) + 1 FROM posts"
  static let insert = """
    INSERT INTO posts (\(columns), secret) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let insertSound = "INSERT INTO sounds (number, bytes) VALUES (?, ?)"
  static let kept = """
    SELECT \(columns), secret, removed, (SELECT bytes FROM sounds WHERE sounds.number = posts.number)
    FROM posts WHERE id = ?
    """

  static let page = """
    SELECT \(columns) FROM posts INDEXED BY posts_shown
    WHERE removed = 0 AND number < ? AND number > ? ORDER BY number DESC LIMIT ?
    """
  static let newest = """
    SELECT coalesce(max(number), 0) FROM posts INDEXED BY posts_shown WHERE removed = 0
    """
  static let byID = "SELECT \(columns) FROM posts WHERE id = ? AND removed = 0"
  static let byNumber = "SELECT \(columns) FROM posts WHERE number = ? AND removed = 0"
  static let sound = "SELECT bytes FROM sounds WHERE number = ?"

  static let owner = "SELECT number, secret, removed FROM posts WHERE id = ?"
  static let remove = """
    UPDATE posts SET name = '', message = '', kind = NULL, seconds = NULL, bytes = NULL, removed = 1
    WHERE number = ?
    """
  static let removeSound = "DELETE FROM sounds WHERE number = ?"
  static let removeName = "UPDATE posts SET name = '' WHERE number = ?"
  static let numbersOfName = "SELECT number FROM posts WHERE name = ? AND removed = 0"
}
