internal import Glibc
internal import HTTP
internal import Posix

/// A board: posts with their sounds, checked before they are kept.
///
/// Any thread; what is asked of the board waits for its database.
package final class Board: Sendable {
  /// The limits of what it takes.
  package let limits: BoardLimits
  /// The folder in which sounds lie while they are looked at.
  package let scratch: String
  private let store: any BoardStore

  /// A board on a store, with a folder for what comes, which is made where there is none.
  package init(
    _ store: any BoardStore, scratch: String, limits: BoardLimits = BoardLimits()
  ) throws(BoardFault) {
    do throws(SystemError) {
      try Files.makeFolder(scratch)
    } catch {
      throw BoardFault(.store, "can't make the folder for what comes: \(error)")
    }
    self.store = store
    self.scratch = scratch
    self.limits = limits
  }

  /// Lets go of the database, when nobody asks any more.
  package func close() { store.close() }

  // MARK: - Posting

  /// Posts a draft; the same again gives the post that is there.
  @discardableResult
  package func post(_ draft: Draft) throws(BoardFault) -> Post {
    try keep(check(draft, showsSecret: true)).post
  }

  /// Looks whether a draft can be posted.
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
      throw BoardFault(.large, "\(what) has more than \(most) letters")
    }
    // No database keeps that in a text.
    guard !text.utf8.contains(0) else {
      throw BoardFault(.wrong, "\(what) has a character of the number 0 in it")
    }
  }

  /// Keeps what was checked.
  func keep(_ posting: Posting) throws(BoardFault) -> Posted { try store.post(posting) }

  // MARK: - Reading

  /// The newest posts before one number and after another, newest first.
  package func page(
    before: Int? = nil, after: Int? = nil, limit: Int? = nil
  ) throws(BoardFault) -> PostPage {
    let limit = max(1, min(limits.mostPosts, limit ?? limits.usualPosts))
    return try store.page(before: before, after: after, limit: limit)
  }

  /// A post; nil where there is none.
  package func find(_ key: PostKey) throws(BoardFault) -> Post? { try store.find(key) }

  /// The sound of a post; nil where there is none.
  package func sound(of key: PostKey) throws(BoardFault) -> StoredSound? {
    try store.sound(of: key)
  }

  // MARK: - Deleting

  /// Takes a post back, for who has its secret.
  package func delete(_ id: String, secret: String) throws(BoardFault) {
    try store.delete(id, secret: SHA256.digest(Array(secret.utf8)))
  }

  /// Takes the name of a post away, for who has its secret.
  package func removeName(_ id: String, secret: String) throws(BoardFault) {
    try store.removeName(id, secret: SHA256.digest(Array(secret.utf8)))
  }

  /// Deletes posts for the operator; returns which of them were there.
  package func delete(_ ids: [String]) throws(BoardFault) -> [String] { try store.delete(ids) }

  /// Deletes all posts of a name for the operator; returns how many there were.
  package func delete(allOf name: String) throws(BoardFault) -> Int {
    try store.delete(allOf: name)
  }
}
