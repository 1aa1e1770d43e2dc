internal import SQLite

/// The schema of a board's file, and all SQL statements.
enum BoardSQL {
  // The application ID is "SyrB" in ASCII.
  static let schema = DatabaseSchema(
    application: 0x5379_7242, version: 1,
    // Deleted sounds return their space to the disk. This must precede the first table.
    creation: "PRAGMA auto_vacuum = INCREMENTAL;\n",
    // What the log holds is missing in the file until a checkpoint, and needs its space twice.
    pragmas: """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = 500;
      PRAGMA journal_size_limit = 2097152;
      """, tables: tables)

  // A deleted post leaves its row with nothing but its ID, so that sending it again can't restore
  // it. The index omits such rows, and a page never scans them.
  private static let tables = """
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
