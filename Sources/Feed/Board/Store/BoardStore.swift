/// The place where a board keeps its posts.
///
/// Any thread; each call waits for the database. What has returned is on the disk.
package protocol BoardStore: AnyObject, Sendable {
  /// Keeps a post, unless one of that identifier is there: the same is given back, another one is
  /// `taken`.
  func post(_ posting: Posting) throws(BoardFault) -> Posted
  /// The newest posts before one number and after another, newest first.
  func page(before: Int?, after: Int?, limit: Int) throws(BoardFault) -> PostPage
  /// A post; nil where there is none.
  func find(_ key: PostKey) throws(BoardFault) -> Post?
  /// The sound of a post; nil where there is none.
  func sound(of key: PostKey) throws(BoardFault) -> StoredSound?
  /// Takes a post back, for who shows the digest of its secret; again does nothing more.
  func delete(_ id: String, secret: [UInt8]) throws(BoardFault)
  /// Takes the name of a post away, for who shows the digest of its secret.
  func removeName(_ id: String, secret: [UInt8]) throws(BoardFault)
  /// Deletes posts for the board's operator; returns which of them were there.
  func delete(_ ids: [String]) throws(BoardFault) -> [String]
  /// Deletes all posts of a name for the board's operator; returns how many there were.
  func delete(allOf name: String) throws(BoardFault) -> Int
  /// Lets go of the database, when nobody uses the store any more.
  func close()
}

/// The name of a post in a request: its identifier, or its number.
package enum PostKey: Equatable, Sendable {
  case id(String)
  case number(Int)

  /// The key that a text is; nil where it is none.
  package init?(_ text: String) {
    if let id = PostID.plain(text) {
      self = .id(id)
    } else if text.utf8.allSatisfy({ 48...57 ~= $0 }), let number = Int32(text), number > 0 {
      self = .number(Int(number))
    } else {
      return nil
    }
  }
}

/// The bytes of a post's sound.
package struct StoredSound: Equatable, Sendable {
  /// The kind of the bytes.
  package var kind: SoundKind
  /// The bytes, as they were posted.
  package var bytes: [UInt8]
}
