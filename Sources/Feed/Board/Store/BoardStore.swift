/// A store for the posts of a board.
///
/// Any thread. Calls block on the database. When they return, changes are durable.
package protocol BoardStore: AnyObject, Sendable {
  /// Stores a post. If its ID exists, an identical post is returned, and any other fails with
  /// `taken`.
  func post(_ posting: Posting) throws(BoardFault) -> Posted
  /// Returns the newest posts between two numbers, both exclusive, newest first.
  func page(before: Int?, after: Int?, limit: Int) throws(BoardFault) -> PostPage
  /// Returns a post, or nil if not found.
  func find(_ key: PostKey) throws(BoardFault) -> Post?
  /// Returns the sound of a post, or nil if it has none.
  func sound(of key: PostKey) throws(BoardFault) -> StoredSound?
  /// Deletes a post, given the digest of its secret. Idempotent.
  func delete(_ id: String, secret: [UInt8]) throws(BoardFault)
  /// Removes the name from a post, given the digest of its secret.
  func removeName(_ id: String, secret: [UInt8]) throws(BoardFault)
  /// Deletes posts on behalf of the operator. Returns the IDs that were found.
  func delete(_ ids: [String]) throws(BoardFault) -> [String]
  /// Deletes all posts with a name on behalf of the operator. Returns their number.
  func delete(allOf name: String) throws(BoardFault) -> Int
  /// Closes the database. No calls may follow.
  func close()
}

/// The key of a post in a request: its ID or its number.
package enum PostKey: Equatable, Sendable {
  case id(String)
  case number(Int)

  /// Parses a key, or returns nil if the text is not a key.
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

/// The sound file of a post.
package struct StoredSound: Equatable, Sendable {
  /// The kind of sound file.
  package var kind: SoundKind
  /// The bytes, as posted.
  package var bytes: [UInt8]
}
