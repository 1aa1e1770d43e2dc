/// A client of a board: over the network, or of the node's own board in the same process.
///
/// Calls block until the board answers. Any thread, one call at a time.
package protocol BoardClient: AnyObject, Sendable {
  /// Returns posts before a number, or the newest ones, newest first.
  func page(before: Int?, count: Int) throws(FeedFault) -> PostPage
  /// Returns the bytes of a post's sound file.
  func sound(of post: Post) throws(FeedFault) -> [UInt8]
  /// Posts a draft. Posting the same draft again has no effect.
  func post(_ draft: Draft) throws(FeedFault)
  /// Deletes a post, given its secret.
  func delete(_ id: String, secret: String) throws(FeedFault)
}
