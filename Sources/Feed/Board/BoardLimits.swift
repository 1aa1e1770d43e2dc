/// The limits of a board.
package struct BoardLimits: Sendable {
  /// The maximum size of a request body in bytes.
  package var bodyBytes = 8 << 20
  /// The maximum length of a name in characters.
  package var nameLetters = 64
  /// The maximum length of a message in characters.
  package var messageLetters = 4096
  /// The maximum number of posts per address and minute, or nil for no limit.
  package var postsAMinute: Int? = 30
  /// The maximum number of queued requests.
  package var waitingRequests = 96
  /// The maximum number of posts in a page.
  package var mostPosts = 200
  /// The default number of posts in a page.
  package var usualPosts = 50
  /// The maximum size of sound in a page with inline sounds, in bytes.
  ///
  /// The newest post is always included.
  package var soundBytes = 8 << 20

  /// Creates the default limits.
  package init() {}
}
