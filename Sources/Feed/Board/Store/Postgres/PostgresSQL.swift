/// A statement that a connection prepares when it first runs it.
struct PostgresStatement {
  let name: String
  let text: String
}

/// The schema of a board's database, and all that it is told.
enum PostgresSQL {
  // Boards that begin at the same time wait for each other by the first ("SyrB", 1), posts get their
  // numbers one by one by the second, and hold theirs by the third.
  static let (beginning, numbering) = (0x5379_7242_0000_0001, 0x5379_7242_0000_0002)
  private static let underWay = 0x5379_7242

  static let schema = "CREATE SCHEMA IF NOT EXISTS syrinx_board"
  static let versions = """
    CREATE TABLE IF NOT EXISTS syrinx_board.versions (
      version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now()
    )
    """
  static let version = "SELECT coalesce(max(version), 0) FROM syrinx_board.versions"

  // A post that was deleted leaves its row, without anything of it but the identifier: who sends it
  // again must not bring it back. The index leaves those out, and a page never walks through them.
  //
  // A sound is as small as it will be: it is kept as it is, beside the row.
  //
  // Several boards post at once, and the one with the lesser number may be there later. Who asks what
  // came after a number must never miss one: he is shown nothing behind the first that is under way.
  // That one holds a lock, which it has before others can get a number; it lets go of it when its post
  // is there for all.
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

  /// What makes each version of the schema out of the one before.
  static let migrations = [first]

  private static let columns = "number, id, name, message, time, zone, kind, seconds, bytes"

  // One round trip: the post and its sound, and no number where the identifier is there already.
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

  // One round trip: the newest number stands in each row, also in the one of an empty page.
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

  static let byID = PostgresStatement(
    name: "by_id",
    text: "SELECT \(columns) FROM syrinx_board.posts WHERE id = $1::uuid AND NOT removed")
  static let byNumber = PostgresStatement(
    name: "by_number",
    text: "SELECT \(columns) FROM syrinx_board.posts WHERE number = $1::integer AND NOT removed")
  static let soundByID = PostgresStatement(
    name: "sound_by_id",
    text: """
      SELECT kind, sounds.bytes FROM syrinx_board.posts JOIN syrinx_board.sounds USING (number)
      WHERE id = $1::uuid AND NOT removed
      """)
  static let soundByNumber = PostgresStatement(
    name: "sound_by_number",
    text: """
      SELECT kind, sounds.bytes FROM syrinx_board.posts JOIN syrinx_board.sounds USING (number)
      WHERE number = $1::integer AND NOT removed
      """)

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
  /// Changes a post for who has its secret, and tells whether that was his.
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
