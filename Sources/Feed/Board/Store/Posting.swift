internal import HTTP
package import Posix

/// A draft that was checked, on its way into a store.
package struct Posting: Sendable {
  /// What is posted.
  package var draft: Draft
  /// Whether the poster showed a secret; else the draft has a new one, which he does not know yet.
  package var showsSecret: Bool
  /// What was found out about the sound; nil where there is none.
  package var sound: Post.Sound?
  /// The moment at which the board took it.
  package var date: ZonedDate
  /// The digest of the secret, which alone is kept.
  package let secretDigest: [UInt8]

  /// A draft that a board took at a moment.
  package init(_ draft: Draft, showsSecret: Bool, sound: Post.Sound?, date: ZonedDate) {
    self.draft = draft
    self.showsSecret = showsSecret
    self.sound = sound
    self.date = date
    secretDigest = SHA256.digest(Array(draft.secret.utf8))
  }

  /// The post that it becomes under a number.
  func post(_ number: Int) -> Post {
    Post(
      number: number, id: draft.id, name: draft.name, message: draft.message, date: date,
      sound: sound)
  }
}

/// The outcome of posting.
package struct Posted: Equatable, Sendable {
  /// The post, as it is kept.
  package var post: Post
  /// Whether it was not there before.
  package var isNew: Bool
}

/// What a store has already under the identifier of a posting.
struct KeptPost {
  var post: Post
  var secretDigest: [UInt8]
  var isRemoved: Bool
  var hasSameSound: Bool

  /// The answer to who posts again: the same post, or that the identifier is taken.
  func answer(to posting: Posting) throws(BoardFault) -> Posted {
    let draft = posting.draft
    guard !posting.showsSecret || secretDigest == posting.secretDigest else {
      throw BoardFault(.taken, "another post has this id")
    }
    guard !isRemoved else { throw BoardFault(.taken, "the post with this id was taken back") }
    // A name can have been taken away since.
    guard hasSameSound, post.message == draft.message, post.name.isEmpty || post.name == draft.name
    else { throw BoardFault(.taken, "the post with this id is another one") }
    return Posted(post: post, isNew: false)
  }
}
