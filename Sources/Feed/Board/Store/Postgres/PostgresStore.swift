internal import HTTP
internal import Posix

/// A store in a PostgreSQL database, which several boards can share.
package final class PostgresStore: BoardStore {
  private let pool: PostgresPool

  /// Connects to a database URL and migrates the schema to the newest version.
  package init(url: String, connections: Int = 16) throws(BoardFault) {
    pool = PostgresPool(url, most: connections)
    try pool.tryOnce(Self.migrate)
  }

  package func close() { pool.close() }

  private static func migrate(_ connection: PostgresConnection) throws(PostgresFault) {
    try connection.execute("BEGIN")
    // Other boards that start now wait here, and find the migration done.
    try connection.execute("SELECT pg_advisory_xact_lock(\(PostgresSQL.beginning))")
    try connection.execute("SET LOCAL client_min_messages = warning")
    try connection.execute(PostgresSQL.schema)
    try connection.execute(PostgresSQL.versions)
    let version = try connection.number(PostgresSQL.version)
    guard version <= PostgresSQL.migrations.count else {
      throw .refused("it was written by a newer version of Syrinx")
    }
    for (index, migration) in PostgresSQL.migrations.enumerated().dropFirst(version) {
      try connection.execute(migration)
      try connection.execute("INSERT INTO syrinx_board.versions (version) VALUES (\(index + 1))")
    }
    try connection.execute("COMMIT")
  }

  // MARK: - Posting

  package func post(_ posting: Posting) throws(BoardFault) -> Posted {
    let (draft, sound) = (posting.draft, posting.sound)
    let values: [PostgresConnection.Value] = [
      .text(draft.id), .text(draft.name), .text(draft.message),
      .integer(posting.date.microseconds), .integer(posting.date.zoneMinutes),
      .text(sound?.kind.rawValue), .real(sound?.seconds), .integer(sound?.bytes),
      .bytes(posting.secretDigest), .bytes(draft.audio),
    ]
    let (number, kept) = try pool.with {
      connection throws(PostgresFault) -> (Int?, KeptPost?) in
      let rows = try connection.run(PostgresSQL.post, values)
      if !rows.isEmpty { return (rows.integer(0, 0), nil) }
      let known = try connection.run(PostgresSQL.kept, [.text(draft.id), .bytes(draft.audio)])
      guard !known.isEmpty else { throw .refused("conflicting state of a post") }
      return (nil, KeptPost(row: known))
    }
    if let kept { return try kept.answer(to: posting) }
    return Posted(post: posting.post(number ?? 0), isNew: true)
  }

  // MARK: - Reading

  package func page(before: Int?, after: Int?, limit: Int) throws(BoardFault) -> PostPage {
    try pool.with { connection throws(PostgresFault) in
      var before = before ?? .max
      if after != nil {
        before = min(before, try connection.run(PostgresSQL.firstOpenNumber, []).integer(0, 0))
      }
      let rows = try connection.run(
        PostgresSQL.page,
        [.integer(before), .integer(after ?? 0), .integer(min(limit, Int(Int32.max)))])
      return PostPage(
        posts: rows.indices.filter { !rows.isNull($0, 0) }.map { Post(row: $0, of: rows) },
        newest: rows.integer(0, 9))
    }
  }

  package func find(_ key: PostKey) throws(BoardFault) -> Post? {
    try pool.with { connection throws(PostgresFault) in
      let (statement, values) = PostgresSQL.find(key)
      let rows = try connection.run(statement, values)
      return rows.isEmpty ? nil : Post(row: 0, of: rows)
    }
  }

  package func sound(of key: PostKey) throws(BoardFault) -> StoredSound? {
    try pool.with { connection throws(PostgresFault) in
      let (statement, values) = PostgresSQL.findSound(key)
      let rows = try connection.run(statement, values, binary: true)
      guard !rows.isEmpty, let kind = SoundKind(rawValue: rows.text(0, 0)) else { return nil }
      return StoredSound(kind: kind, bytes: rows.bytes(0, 1))
    }
  }

  // MARK: - Deleting

  package func delete(_ id: String, secret: [UInt8]) throws(BoardFault) {
    try change(PostgresSQL.delete, id, secret)
  }

  package func removeName(_ id: String, secret: [UInt8]) throws(BoardFault) {
    try change(PostgresSQL.removeName, id, secret)
  }

  private func change(
    _ statement: PostgresStatement, _ id: String, _ secret: [UInt8]
  ) throws(BoardFault) {
    let (isThere, isOwn) = try pool.with { connection throws(PostgresFault) in
      let rows = try connection.run(statement, [.text(id), .bytes(secret)])
      guard !rows.isEmpty else { return (false, false) }
      return (rows.flag(0, 0) || !rows.flag(0, 1), rows.flag(0, 0))
    }
    guard isThere else { throw BoardFault(.missing, "unknown post") }
    guard isOwn else { throw BoardFault(.denied, "wrong secret for this post") }
  }

  package func delete(_ ids: [String]) throws(BoardFault) -> [String] {
    var deleted: [String] = []
    for id in ids {
      let count = try pool.with { connection throws(PostgresFault) in
        try connection.run(PostgresSQL.deleteAny, [.text(id)]).integer(0, 0)
      }
      if count > 0 { deleted.append(id) }
    }
    return deleted
  }

  package func delete(allOf name: String) throws(BoardFault) -> Int {
    try pool.with { connection throws(PostgresFault) in
      try connection.run(PostgresSQL.deleteOfName, [.text(name)]).integer(0, 0)
    }
  }
}

extension Post {
  fileprivate init(row: Int32, of rows: PostgresRows) {
    self.init(
      number: rows.integer(row, 0), id: rows.text(row, 1), name: rows.text(row, 2),
      message: rows.text(row, 3),
      date: ZonedDate(microseconds: rows.integer(row, 4), zoneMinutes: rows.integer(row, 5)))
    guard let kind = SoundKind(rawValue: rows.text(row, 6)) else { return }
    sound = Sound(
      seconds: Double(rows.text(row, 7)) ?? 0, bytes: rows.integer(row, 8), kind: kind)
  }
}

extension KeptPost {
  fileprivate init(row rows: PostgresRows) {
    self.init(
      post: Post(row: 0, of: rows), secretDigest: Hexadecimal.bytes(of: rows.text(0, 9)) ?? [],
      isRemoved: rows.flag(0, 10), hasSameSound: rows.flag(0, 11))
  }
}
