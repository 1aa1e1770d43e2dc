/// A line to a board: by the network, or to the node's own in the same process.
///
/// Its calls wait for the board; any thread, one at a time.
package protocol Line: AnyObject, Sendable {
  /// Posts before a number, or the newest ones, newest first.
  func page(before: Int?, count: Int) throws(FeedFault) -> PostPage
  /// The bytes of a post's sound.
  func sound(of post: Post) throws(FeedFault) -> [UInt8]
  /// Posts a draft; the same again does nothing more.
  func post(_ draft: Draft) throws(FeedFault)
  /// Takes a post back, of which somebody has the secret.
  func delete(_ id: String, secret: String) throws(FeedFault)
}
