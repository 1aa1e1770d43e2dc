internal import Posix
internal import SQLite

/// A store in an SQLite file on one machine, which several processes can share.
package final class SQLiteStore: BoardStore, @unchecked Sendable {
  // The maximum number of pooled connections. Additional concurrent readers open temporary ones.
  private static let mostKept = 4
  // What a post needs besides its sound: its texts and the pages of the indexes.
  private static let bytesOfTexts = 32 << 10

  private let path: String
  private let writer: BoardFileWriter
  private let readers = Guarded<[Handed<BoardFile>]>([])

  /// Opens a file.
  ///
  /// Creates it and its folder if needed.
  package init(path: String) throws(BoardFault) {
    self.path = path
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try system(try Files.makeFolder(String(path[..<slash]))) {
        BoardFault(.store, "can't create the folder of the feed server: \($0)")
      }
    }
    writer = try BoardFileWriter(path: path)
  }

  deinit { writer.close() }

  package func close() {
    writer.close()
    readers.withLock { $0 = [] }
  }

  // MARK: - Posting

  package func post(_ posting: Posting) throws(BoardFault) -> Posted {
    let bytes = Self.bytesOfTexts + (posting.draft.audio?.count ?? 0)
    return try writer.perform(bytes: bytes) { file throws(BoardFault) in
      try Self.post(posting, file)
    }
  }

  private static func post(_ posting: Posting, _ file: BoardFile) throws(BoardFault) -> Posted {
    let (draft, sound) = (posting.draft, posting.sound)
    let kept = try file.rows(BoardSQL.kept, [.text(draft.id)]) { row in
      KeptPost(
        post: Post(row: row), secretDigest: row.bytes(9), isRemoved: row.integer(10) != 0,
        hasSameSound: row.bytes(11) == draft.audio ?? [])
    }
    if let kept = kept.first { return try kept.answer(to: posting) }
    let number = try file.number(BoardSQL.nextNumber)
    try file.run(
      BoardSQL.insert,
      [
        .integer(number), .text(draft.id), .text(draft.name), .text(draft.message),
        .integer(posting.date.microseconds), .integer(posting.date.zoneMinutes),
        sound.map { .text($0.kind.rawValue) } ?? .null, .real(sound?.seconds),
        .integer(sound?.bytes), .bytes(posting.secretDigest),
      ])
    if let audio = draft.audio {
      try file.run(BoardSQL.insertSound, [.integer(number), .bytes(audio)])
    }
    return Posted(post: posting.post(number), isNew: true)
  }

  // MARK: - Reading

  package func page(before: Int?, after: Int?, limit: Int) throws(BoardFault) -> PostPage {
    try reading { file throws(BoardFault) in
      let posts = try file.rows(
        BoardSQL.page,
        [.integer(before ?? .max), .integer(after ?? 0), .integer(limit)], Post.init(row:))
      return PostPage(posts: posts, newest: try file.number(BoardSQL.newest))
    }
  }

  package func find(_ key: PostKey) throws(BoardFault) -> Post? {
    try reading { file throws(BoardFault) in try Self.find(key, file) }
  }

  private static func find(_ key: PostKey, _ file: BoardFile) throws(BoardFault) -> Post? {
    let (sql, value): (String, StatementValue) =
      switch key {
      case .id(let id): (BoardSQL.byID, .text(id))
      case .number(let number): (BoardSQL.byNumber, .integer(number))
      }
    return try file.rows(sql, [value], Post.init(row:)).first
  }

  package func sound(of key: PostKey) throws(BoardFault) -> StoredSound? {
    try reading { file throws(BoardFault) in
      guard let post = try Self.find(key, file), let kind = post.sound?.kind else { return nil }
      let bytes = try file.rows(BoardSQL.sound, [.integer(post.number)]) { $0.bytes(0) }
      return bytes.first.map { StoredSound(kind: kind, bytes: $0) }
    }
  }

  private func reading<Value>(
    _ body: (BoardFile) throws(BoardFault) -> Value
  ) throws(BoardFault) -> Value {
    let kept = readers.withLock { $0.popLast() }
    let file: Handed<BoardFile>
    if let kept { file = kept } else { file = Handed(try BoardFile(board: path)) }
    let value = try body(file.value)
    readers.withLock { if $0.count < Self.mostKept { $0.append(file) } }
    return value
  }

  // MARK: - Deleting

  package func delete(_ id: String, secret: [UInt8]) throws(BoardFault) {
    try writer.perform { file throws(BoardFault) in
      if let number = try Self.own(id, secret, file) { try Self.remove(number, file) }
    }
  }

  package func removeName(_ id: String, secret: [UInt8]) throws(BoardFault) {
    try writer.perform { file throws(BoardFault) in
      guard let number = try Self.own(id, secret, file) else { return }
      try file.run(BoardSQL.removeName, [.integer(number)])
    }
  }

  /// Returns the number of the post that a secret belongs to, or nil if it was deleted already.
  private static func own(
    _ id: String, _ secret: [UInt8], _ file: BoardFile
  ) throws(BoardFault) -> Int? {
    let rows = try file.rows(BoardSQL.owner, [.text(id)]) {
      (number: $0.integer(0), secret: $0.bytes(1), isRemoved: $0.integer(2) != 0)
    }
    guard let row = rows.first else { throw BoardFault(.missing, "unknown post") }
    guard row.secret == secret else {
      throw row.isRemoved
        ? BoardFault(.missing, "unknown post")
        : BoardFault(.denied, "wrong secret for this post")
    }
    return row.isRemoved ? nil : row.number
  }

  private static func remove(_ number: Int, _ file: BoardFile) throws(BoardFault) {
    try file.run(BoardSQL.remove, [.integer(number)])
    try file.run(BoardSQL.removeSound, [.integer(number)])
  }

  package func delete(_ ids: [String]) throws(BoardFault) -> [String] {
    try writer.perform { file throws(BoardFault) in
      var deleted: [String] = []
      for id in ids {
        guard let post = try Self.find(.id(id), file) else { continue }
        try Self.remove(post.number, file)
        deleted.append(id)
      }
      return deleted
    }
  }

  package func delete(allOf name: String) throws(BoardFault) -> Int {
    try writer.perform { file throws(BoardFault) in
      let numbers = try file.rows(BoardSQL.numbersOfName, [.text(name)]) { $0.integer(0) }
      for number in numbers { try Self.remove(number, file) }
      return numbers.count
    }
  }
}
