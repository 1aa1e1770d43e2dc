/// A statement that a connection prepares on first use.
struct PostgresStatement {
  let name: String
  let text: String
}

/// A statement with the values of its parameters.
typealias PostgresQuery = (statement: PostgresStatement, values: [PostgresConnection.Value])

/// The schema of a board's database, and all SQL statements.
enum PostgresSQL {
  // Keys of advisory locks: the first ("SyrB", 1) serializes the startup of boards, the second the
  // assignment of post numbers. The third marks numbers in use by open transactions.
  static let (beginning, numbering) = (0x5379_7242_0000_0001, 0x5379_7242_0000_0002)
  private static let underWay = 0x5379_7242

  static let schema = "CREATE SCHEMA IF NOT EXISTS syrinx_board"
  static let versions = """
    CREATE TABLE IF NOT EXISTS syrinx_board.versions (
      version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now()
    )
    """
  static let version = "SELECT coalesce(max(version), 0) FROM syrinx_board.versions"

  // A deleted post leaves its row with nothing but its ID, so that sending it again can't restore
  // it. The index omits such rows, and a page never scans them.
  //
  // Most sounds are compressed already. PostgreSQL stores them as they are, outside the row.
  //
  // With several boards posting at once, a lower number may become visible after a higher one. A
  // client that asks for posts after a number must never miss one, so it gets no posts beyond the
  // first number still in progress. Each transaction holds a lock on its number, acquired before
  // others can get a number, and released when the post is visible to all.
  private static let first = """
    CREATE SEQUENCE syrinx_board.numbers AS integer;
    CREATE FUNCTION syrinx_board.next_number() RETURNS integer LANGUAGE plpgsql AS $$
      DECLARE number integer;
      BEGIN
        PERFORM pg_advisory_lock(\(numbering));
        number := nextval('syrinx_board.numbers');
        PERFORM pg_advisory_xact_lock_shared(\(underWay), number);
        PERFORM pg_advisory_unlock(\(numbering));
        RETURN number;
      END $$;
    CREATE FUNCTION syrinx_board.first_open_number() RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE next bigint;
      BEGIN
        PERFORM pg_advisory_lock(\(numbering));
        SELECT last_value + is_called::integer INTO next FROM syrinx_board.numbers;
        PERFORM pg_advisory_unlock(\(numbering));
        RETURN least(next, (
          SELECT min(objid::bigint) FROM pg_locks
          WHERE locktype = 'advisory' AND objsubid = 2 AND classid = \(underWay)
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())));
      END $$;
    CREATE TABLE syrinx_board.posts (
      number integer PRIMARY KEY,
      id uuid NOT NULL UNIQUE,
      name text NOT NULL,
      message text NOT NULL,
      time bigint NOT NULL,
      zone smallint NOT NULL,
      kind text,
      seconds double precision,
      bytes integer,
      secret bytea NOT NULL,
      removed boolean NOT NULL DEFAULT false
    );
    CREATE INDEX posts_shown ON syrinx_board.posts (number) WHERE NOT removed;
    CREATE INDEX posts_by_name ON syrinx_board.posts (name) WHERE NOT removed;
    CREATE TABLE syrinx_board.sounds (
      number integer PRIMARY KEY REFERENCES syrinx_board.posts, bytes bytea NOT NULL
    );
    ALTER TABLE syrinx_board.sounds ALTER bytes SET STORAGE EXTERNAL;
    """

  /// The migrations from each version of the schema to the next.
  static let migrations = [first]

  private static let columns = "number, id, name, message, time, zone, kind, seconds, bytes"

  // One round trip: inserts the post and its sound. Returns no number if the ID exists.
  static let post = PostgresStatement(
    name: "post",
    text: """
      WITH added AS (
        INSERT INTO syrinx_board.posts (\(columns), secret)
        SELECT syrinx_board.next_number(), $1::uuid, $2, $3, $4::bigint, $5::smallint, $6,
          $7::double precision, $8::integer, $9::bytea
        WHERE NOT EXISTS (SELECT 1 FROM syrinx_board.posts WHERE id = $1::uuid)
        ON CONFLICT (id) DO NOTHING RETURNING number
      ), sound AS (
        INSERT INTO syrinx_board.sounds (number, bytes)
        SELECT number, $10::bytea FROM added WHERE $10::bytea IS NOT NULL
      )
      SELECT number FROM added
      """)
  static let kept = PostgresStatement(
    name: "kept",
    text: """
      SELECT \(columns), encode(secret, 'hex'), removed,
        (SELECT sounds.bytes FROM syrinx_board.sounds WHERE sounds.number = posts.number)
          IS NOT DISTINCT FROM $2::bytea
      FROM syrinx_board.posts WHERE id = $1::uuid
      """)

  // One round trip: each row contains the newest number, and an empty page has one row with it.
  static let page = PostgresStatement(
    name: "page",
    text: """
      SELECT \(columns), newest FROM (
        SELECT coalesce(max(number), 0) AS newest FROM syrinx_board.posts WHERE NOT removed
      ) AS whole LEFT JOIN (
        SELECT \(columns) FROM syrinx_board.posts
        WHERE NOT removed AND number < $1::bigint AND number > $2::bigint
        ORDER BY number DESC LIMIT $3::integer
      ) AS page ON true ORDER BY number DESC
      """)
  static let firstOpenNumber = PostgresStatement(
    name: "first_open_number", text: "SELECT syrinx_board.first_open_number()")

  static func find(_ key: PostKey) -> PostgresQuery {
    query(key, "post", "SELECT \(columns) FROM syrinx_board.posts")
  }
  static func findSound(_ key: PostKey) -> PostgresQuery {
    query(
      key, "sound",
      """
      SELECT kind, sounds.bytes FROM syrinx_board.posts JOIN syrinx_board.sounds USING (number)
      """)
  }
  /// Finds a post that has not been deleted.
  private static func query(_ key: PostKey, _ name: String, _ select: String) -> PostgresQuery {
    let (way, condition, value): (String, String, PostgresConnection.Value) =
      switch key {
      case .id(let id): ("id", "id = $1::uuid", .text(id))
      case .number(let number): ("number", "number = $1::integer", .integer(number))
      }
    let text = "\(select) WHERE \(condition) AND NOT removed"
    return (PostgresStatement(name: "\(name)_by_\(way)", text: text), [value])
  }

  private static let nothing = """
    name = '', message = '', kind = NULL, seconds = NULL, bytes = NULL, removed = true
    """
  static let delete = own(
    "delete",
    """
    changed AS (
      UPDATE syrinx_board.posts SET \(nothing) FROM found
      WHERE posts.number = found.number AND found.own RETURNING posts.number
    ), silenced AS (
      DELETE FROM syrinx_board.sounds USING changed WHERE sounds.number = changed.number
    )
    """)
  static let removeName = own(
    "remove_name",
    """
    changed AS (
      UPDATE syrinx_board.posts SET name = '' FROM found
      WHERE posts.number = found.number AND found.own
    )
    """)
  /// Changes a post and returns whether the secret matched.
  private static func own(_ name: String, _ change: String) -> PostgresStatement {
    PostgresStatement(
      name: name,
      text: """
        WITH found AS (
          SELECT number, secret = $2::bytea AS own, removed
          FROM syrinx_board.posts WHERE id = $1::uuid
        ), \(change)
        SELECT own, removed FROM found
        """)
  }

  static let deleteAny = any("delete_any", "id = $1::uuid")
  static let deleteOfName = any("delete_of_name", "name = $1")
  private static func any(_ name: String, _ condition: String) -> PostgresStatement {
    PostgresStatement(
      name: name,
      text: """
        WITH changed AS (
          UPDATE syrinx_board.posts SET \(nothing) WHERE \(condition) AND NOT removed RETURNING number
        ), silenced AS (
          DELETE FROM syrinx_board.sounds USING changed WHERE sounds.number = changed.number
        )
        SELECT count(*) FROM changed
        """)
  }
}
