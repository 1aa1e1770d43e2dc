internal import Glibc
internal import HTTP
internal import Posix

/// A board: posts and their sounds, validated before they are stored.
///
/// Any thread. Calls block on the database.
package final class Board: Sendable {
  /// The limits of posts and requests.
  package let limits: BoardLimits
  /// The folder for sounds during their validation.
  package let scratch: String
  private let store: any BoardStore

  /// Creates a board on a store, and the folder for incoming posts if needed.
  package init(
    _ store: any BoardStore, scratch: String, limits: BoardLimits = BoardLimits()
  ) throws(BoardFault) {
    try system(try Files.makeFolder(scratch)) {
      BoardFault(.store, "can't create the folder for uploads: \($0)")
    }
    self.store = store
    self.scratch = scratch
    self.limits = limits
  }

  /// Closes the database.
  ///
  /// No calls may follow.
  package func close() { store.close() }

  // MARK: - Posting

  /// Posts a draft.
  ///
  /// Posting the same draft again returns the existing post.
  @discardableResult
  package func post(_ draft: Draft) throws(BoardFault) -> Post {
    try keep(check(draft, showsSecret: true)).post
  }

  /// Validates a draft.
  func check(_ draft: Draft, showsSecret: Bool) throws(BoardFault) -> Posting {
    try check(draft.name, "name", most: limits.nameLetters)
    try check(draft.message, "message", most: limits.messageLetters)
    guard draft.audio != nil || !draft.message.isEmpty else {
      throw BoardFault(.wrong, "a post needs a message or a sound")
    }
    guard draft.audio?.count ?? 0 <= limits.bodyBytes else {
      throw BoardFault(.large, "audio has more than \(limits.bodyBytes >> 20) MB")
    }
    var sound: Post.Sound?
    if let audio = draft.audio { sound = try SoundCheck.facts(audio, folder: scratch) }
    return Posting(draft, showsSecret: showsSecret, sound: sound, date: .now)
  }

  private func check(_ text: String, _ what: String, most: Int) throws(BoardFault) {
    guard text.unicodeScalars.count <= most else {
      throw BoardFault(.large, "\(what) has more than \(most) characters")
    }
    // No database stores a NUL character in a text.
    guard !text.utf8.contains(0) else {
      throw BoardFault(.wrong, "\(what) contains a NUL character")
    }
  }

  /// Stores a validated post.
  func keep(_ posting: Posting) throws(BoardFault) -> Posted { try store.post(posting) }

  // MARK: - Reading

  /// Returns the newest posts between two numbers, both exclusive, newest first.
  package func page(
    before: Int? = nil, after: Int? = nil, limit: Int? = nil
  ) throws(BoardFault) -> PostPage {
    let limit = max(1, min(limits.mostPosts, limit ?? limits.usualPosts))
    return try store.page(before: before, after: after, limit: limit)
  }

  /// Returns a post, or nil if not found.
  package func find(_ key: PostKey) throws(BoardFault) -> Post? { try store.find(key) }

  /// Returns the sound of a post, or nil if it has none.
  package func sound(of key: PostKey) throws(BoardFault) -> StoredSound? {
    try store.sound(of: key)
  }

  // MARK: - Deleting

  /// Deletes a post, given its secret.
  package func delete(_ id: String, secret: String) throws(BoardFault) {
    try store.delete(id, secret: SHA256.digest(Array(secret.utf8)))
  }

  /// Removes the name from a post, given its secret.
  package func removeName(_ id: String, secret: String) throws(BoardFault) {
    try store.removeName(id, secret: SHA256.digest(Array(secret.utf8)))
  }
}
