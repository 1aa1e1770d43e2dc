/// The limits of what a board takes.
package struct BoardLimits: Sendable {
  /// The bytes of a request's body.
  package var bodyBytes = 8 << 20
  /// The letters of a name.
  package var nameLetters = 64
  /// The letters of a message.
  package var messageLetters = 4096
  /// The posts that one address may send in a minute; nil for any number.
  package var postsAMinute: Int? = 30
  /// The requests that wait for others to be answered.
  package var waitingRequests = 96
  /// The posts of a page.
  package var mostPosts = 200
  /// The posts of a page where nobody says how many.
  package var usualPosts = 50
  /// The bytes of sound in a page that has its sounds in it, beside those of the newest post.
  package var soundBytes = 8 << 20

  /// Those of a board that was told nothing.
  package init() {}
}
