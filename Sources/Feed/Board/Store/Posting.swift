internal import HTTP
package import Posix

/// A validated draft, ready to be stored.
package struct Posting: Sendable {
  /// The draft.
  package var draft: Draft
  /// Whether the poster sent a secret.
  ///
  /// Otherwise the board generated one.
  package var showsSecret: Bool
  /// The validated sound, or nil.
  package var sound: Post.Sound?
  /// The time at which the board received it.
  package var date: ZonedDate
  /// The digest of the secret.
  ///
  /// The secret itself is not stored.
  package let secretDigest: [UInt8]

  /// Creates a posting from a draft received at a time.
  package init(_ draft: Draft, showsSecret: Bool, sound: Post.Sound?, date: ZonedDate) {
    self.draft = draft
    self.showsSecret = showsSecret
    self.sound = sound
    self.date = date
    secretDigest = SHA256.digest(Array(draft.secret.utf8))
  }

  /// Returns the resulting post with a number.
  func post(_ number: Int) -> Post {
    Post(
      number: number, id: draft.id, name: draft.name, message: draft.message, date: date,
      sound: sound)
  }
}

/// The result of posting.
package struct Posted: Equatable, Sendable {
  /// The stored post.
  package var post: Post
  /// Whether the post is new, not a repetition.
  package var isNew: Bool
}

/// The stored row with the ID of a posting.
struct KeptPost {
  var post: Post
  var secretDigest: [UInt8]
  var isRemoved: Bool
  var hasSameSound: Bool

  /// Returns the reply to a repeated post: the same post, or the fault that the ID is taken.
  func answer(to posting: Posting) throws(BoardFault) -> Posted {
    let draft = posting.draft
    guard !posting.showsSecret || secretDigest == posting.secretDigest else {
      throw BoardFault(.taken, "another post has this id")
    }
    guard !isRemoved else { throw BoardFault(.taken, "the post with this id was deleted") }
    // The name may have been removed since.
    guard hasSameSound, post.message == draft.message, post.name.isEmpty || post.name == draft.name
    else { throw BoardFault(.taken, "a different post has this id") }
    return Posted(post: post, isNew: false)
  }
}
