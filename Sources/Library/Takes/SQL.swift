internal import SQLite

/// The database schema and all SQL statements.
enum SQL {
  // The application ID is "Syrx" in ASCII.
  static let schema = DatabaseSchema(
    application: 0x5379_7278, version: 1,
    pragmas: """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = 250;
      PRAGMA journal_size_limit = 1048576;
      """, tables: tables)

  // A take's row number is its time in microseconds since 1970, or the next free one. The full-text
  // index stores nothing but row numbers, so this sorts its results by time.
  //
  // Takes in the trash have a time in `deleted`, and no entry in the full-text index. In a row
  // marked `untold`, a change has not been written to the take's file yet.
  //
  // Counting 100,000 takes from disk takes longer than the rest of a page. So `counts` stores the
  // number of takes outside and inside the trash.
  private static let tables = """
    CREATE TABLE takes (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      title TEXT NOT NULL,
      species TEXT NOT NULL,
      notes TEXT NOT NULL,
      message TEXT NOT NULL,
      time INTEGER NOT NULL,
      zone INTEGER NOT NULL,
      latitude REAL,
      longitude REAL,
      frames INTEGER NOT NULL,
      rate INTEGER NOT NULL,
      channels INTEGER NOT NULL,
      peak REAL,
      loudness REAL,
      preset TEXT NOT NULL,
      source TEXT NOT NULL,
      image TEXT NOT NULL,
      deleted INTEGER,
      untold INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX takes_by_time ON takes (deleted, time);
    CREATE INDEX takes_by_place ON takes (latitude, longitude, time)
      WHERE latitude IS NOT NULL AND deleted IS NULL;
    CREATE INDEX takes_by_number ON takes (number, time, latitude, longitude)
      WHERE deleted IS NULL;
    CREATE INDEX takes_untold ON takes (untold) WHERE untold = 1;
    CREATE VIRTUAL TABLE words USING fts5 (
      title, species, notes, message, content = 'takes', content_rowid = 'number',
      tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
    );
    CREATE TRIGGER takes_added AFTER INSERT ON takes WHEN new.deleted IS NULL BEGIN
      INSERT INTO words (rowid, title, species, notes, message)
        VALUES (new.number, new.title, new.species, new.notes, new.message);
    END;
    CREATE TRIGGER takes_changed AFTER UPDATE OF title, species, notes, message, deleted ON takes
    BEGIN
      INSERT INTO words (words, rowid, title, species, notes, message)
        SELECT 'delete', old.number, old.title, old.species, old.notes, old.message
        WHERE old.deleted IS NULL;
      INSERT INTO words (rowid, title, species, notes, message)
        SELECT new.number, new.title, new.species, new.notes, new.message
        WHERE new.deleted IS NULL;
    END;
    CREATE TABLE counts (trashed INTEGER PRIMARY KEY, number INTEGER NOT NULL);
    INSERT INTO counts (trashed, number) VALUES (0, 0), (1, 0);
    CREATE TRIGGER takes_counted AFTER INSERT ON takes BEGIN
      UPDATE counts SET number = number + 1 WHERE trashed = (new.deleted IS NOT NULL);
    END;
    CREATE TRIGGER takes_recounted AFTER UPDATE OF deleted ON takes BEGIN
      UPDATE counts SET number = number - 1 WHERE trashed = (old.deleted IS NOT NULL);
      UPDATE counts SET number = number + 1 WHERE trashed = (new.deleted IS NOT NULL);
    END;
    \(removedTriggers)
    CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    """

  private static let removedTriggers = """
    CREATE TRIGGER takes_removed AFTER DELETE ON takes WHEN old.deleted IS NULL BEGIN
      INSERT INTO words (words, rowid, title, species, notes, message)
        VALUES ('delete', old.number, old.title, old.species, old.notes, old.message);
    END;
    CREATE TRIGGER takes_uncounted AFTER DELETE ON takes BEGIN
      UPDATE counts SET number = number - 1 WHERE trashed = (old.deleted IS NOT NULL);
    END;
    """

  /// Deletes all rows at once, and the full-text index as a whole.
  static let clear = """
    DROP TRIGGER takes_removed;
    DROP TRIGGER takes_uncounted;
    DELETE FROM takes;
    UPDATE counts SET number = 0;
    INSERT INTO words (words) VALUES ('delete-all');
    \(removedTriggers)
    """

  // MARK: - Takes

  /// The number of columns of a take.
  ///
  /// Additional columns follow them.
  static let columnCount: Int32 = 18
  private static let columns = """
    number, id, title, species, notes, message, time, zone, latitude, longitude, frames, rate, \
    channels, peak, loudness, preset, source, image
    """

  static let insert = """
    INSERT INTO takes (\(columns), deleted)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let isTaken = "SELECT EXISTS (SELECT 1 FROM takes WHERE number = ?)"
  static let isKnown = "SELECT EXISTS (SELECT 1 FROM takes WHERE id = ?)"
  static let change = """
    UPDATE takes SET title = ?2, species = ?3, notes = ?4, message = ?5, image = ?6,
      latitude = ?7, longitude = ?8, untold = 1
    WHERE id = ?1
    """
  static let setTold = "UPDATE takes SET untold = 0 WHERE id = ?"
  static let untold = "SELECT id FROM takes WHERE untold = 1"
  static let setDeleted = "UPDATE takes SET deleted = ?2 WHERE id = ?1"
  static let setImage = "UPDATE takes SET image = ?2 WHERE id = ?1"
  static let remove = "DELETE FROM takes WHERE id = ?"
  // Reads an index only.
  static let ids = "SELECT id FROM takes ORDER BY id"
  static let trashedIDs = "SELECT id FROM takes WHERE \(isTrashed) ORDER BY +id"
  // Unlike IS NOT NULL, SQLite looks this up in an index.
  private static let isTrashed = "deleted > -9223372036854775808"

  static let take = "SELECT \(columns) FROM takes WHERE id = ?"
  // `g` follows the last hexadecimal digit. The unary plus keeps SQLite from using the index on
  // `deleted`, in which it would scan all takes.
  static let shownByBeginning = """
    SELECT \(columns) FROM takes WHERE id >= ?1 AND id < ?1 || 'g' AND +deleted IS NULL LIMIT 2
    """
  static let trashedByBeginning = """
    SELECT \(columns) FROM takes WHERE id >= ?1 AND id < ?1 || 'g' AND +deleted IS NOT NULL LIMIT 2
    """

  // MARK: - Lists

  // Changes with each change by another connection.
  static let version = "PRAGMA data_version"
  static let shownCount = "SELECT number FROM counts WHERE trashed = 0"
  static let shown = page(
    "SELECT number FROM takes WHERE deleted IS NULL ORDER BY time DESC, number DESC LIMIT ? OFFSET ?",
    order: "time DESC, number DESC")

  static let trashCount = "SELECT number FROM counts WHERE trashed = 1"
  static let trash = page(
    """
    SELECT number FROM takes WHERE \(isTrashed)
    ORDER BY deleted DESC, time DESC LIMIT ? OFFSET ?
    """, order: "deleted DESC, time DESC")
  // The time of the last trash check. Created on demand: older libraries don't have it.
  static let trashLooks = """
    CREATE TABLE IF NOT EXISTS trash_looks (id INTEGER PRIMARY KEY, time INTEGER NOT NULL)
    """
  static let lastTrashLook = "SELECT time FROM trash_looks"
  static let setTrashLook = "INSERT OR REPLACE INTO trash_looks (id, time) VALUES (0, ?)"
  static let delayTrash = """
    UPDATE takes SET deleted = min(?1, deleted + ?2)
    WHERE deleted IS NOT NULL AND (?2 > 0 OR deleted > ?1)
    """

  static let trashedBefore = """
    SELECT \(columns) FROM takes WHERE deleted < ?
    """

  // Skips the rows before the page in an index, and reads full rows for the page only.
  private static func page(_ numbers: String, order: String) -> String {
    "SELECT \(columns) FROM takes WHERE number IN (\(numbers)) ORDER BY \(order)"
  }

  // MARK: - Searching

  /// The condition of a take search.
  struct Filter {
    var hasWords = false
    var hasTime = false
    var hasPlace = false

    /// The query for the number of takes.
    var count: String { "SELECT count(*) FROM \(source)" }

    /// The query for a page, newest first, with the total number in an additional last column.
    var pageAndCount: String {
      """
      SELECT \(columns), total FROM (
        SELECT \(hasWords ? "words.rowid" : "number") AS hit, count(*) OVER () AS total
        FROM \(source) ORDER BY hit DESC LIMIT ?10 OFFSET ?11
      ) CROSS JOIN takes ON number = hit ORDER BY hit DESC
      """
    }

    /// The query for a page, newest first.
    var page: String {
      let number = hasWords ? "words.rowid" : "number"
      let order = hasWords ? "\(number) DESC" : "time DESC, number DESC"
      return SQL.page(
        "SELECT \(number) FROM \(source) ORDER BY \(order) LIMIT ?10 OFFSET ?11",
        order: "number DESC")
    }

    /// The query for all takes.
    var all: String {
      "SELECT \(columns) FROM takes WHERE number IN (SELECT \(hasWords ? "words.rowid" : "number") "
        + "FROM \(source)) ORDER BY number DESC"
    }

    private var source: String {
      var conditions = hasWords ? ["words MATCH ?1"] : []
      // Takes in the trash are not in the full-text index.
      if !hasWords || hasTime || hasPlace { conditions.append("deleted IS NULL") }
      if hasTime {
        conditions.append("time BETWEEN ?2 AND ?3")
        // Skips full-text matches outside the time range before looking up their rows.
        if hasWords { conditions.append("words.rowid BETWEEN ?2 AND ?9") }
      }
      if hasPlace {
        conditions.append("latitude IS NOT NULL AND latitude BETWEEN ?4 AND ?5")
        conditions.append("kilometers(latitude, longitude, ?6, ?7) <= ?8")
      }
      let tables =
        switch (hasWords, hasTime, hasPlace) {
        case (true, false, false): "words"
        // Covering indexes: no row is read.
        case (true, _, _):
          "words CROSS JOIN takes INDEXED BY takes_by_number ON number = words.rowid"
        case (false, _, true): "takes INDEXED BY takes_by_place"
        case (false, _, false): "takes"
        }
      return "\(tables) WHERE \(conditions.joined(separator: " AND "))"
    }
  }

  // MARK: - Species

  // The maximum number of takes to count. There can be a great many, and completion must keep up
  // with typing.
  private static let mostCounted = 5000
  static let usedSpecies = mostUsed(
    "SELECT species FROM takes WHERE deleted IS NULL ORDER BY time DESC LIMIT \(mostCounted)", "?")
  static let usedSpeciesWithWords = mostUsed(
    """
    SELECT takes.species AS species FROM (
      SELECT rowid AS hit FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT \(mostCounted)
    ) CROSS JOIN takes ON takes.number = hit
    """, "?2")

  private static func mostUsed(_ takes: String, _ limit: String) -> String {
    """
    SELECT species FROM (\(takes)) WHERE species <> ''
    GROUP BY species ORDER BY count(*) DESC, species LIMIT \(limit)
    """
  }

  // The two names of a line have an even row number and the next one.
  static let makeSpeciesList = """
    DROP TABLE IF EXISTS temp.listed;
    CREATE VIRTUAL TABLE temp.listed USING fts5 (
      name, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
    );
    """
  static let listSpecies = "INSERT INTO temp.listed (rowid, name) VALUES (?, ?)"
  static let listedName = "SELECT name FROM temp.listed WHERE rowid = ?"
  static let listedSpecies = "SELECT rowid, name FROM temp.listed ORDER BY rowid LIMIT ?"
  static let listedSpeciesWithWords = """
    SELECT rowid, name FROM temp.listed WHERE listed MATCH ?1 ORDER BY rowid LIMIT ?2
    """

  // MARK: - Settings

  static let setting = "SELECT value FROM settings WHERE key = ?"
  static let settings = "SELECT key, value FROM settings ORDER BY key"
  static let set = """
    INSERT INTO settings (key, value) VALUES (?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value
    """
  static let unset = "DELETE FROM settings WHERE key = ?"
}
