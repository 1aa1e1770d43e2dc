internal import HTTP

/// Makes clients of boards: over the network, or of the node's own board in the same process.
package struct BoardConnector: Sendable {
  private let own: HomeBoard
  private let userAgent: String
  private let interruption = HTTPInterruption()

  /// Creates a connector whose requests carry a user agent.
  package init(own: HomeBoard, userAgent: String) {
    self.own = own
    self.userAgent = userAgent
  }

  /// Returns a client of the board at a URL; an empty URL is the node's own board.
  package func client(of board: String) throws(FeedFault) -> any BoardClient {
    guard !board.isEmpty else { return OwnBoard(own) }
    guard let place = HTTPPlace(board) else {
      throw FeedFault("\(board) is not the URL of a feed server", isPassing: false)
    }
    return RemoteBoard(place, userAgent: userAgent, interruption: interruption)
  }

  /// Ends the requests of its clients to remote boards, and those they make later.
  ///
  /// Any thread.
  package func interrupt() { interruption.interrupt() }
}

/// The node's own board, without a network.
private final class OwnBoard: BoardClient {
  private let home: HomeBoard

  init(_ home: HomeBoard) { self.home = home }

  func page(before: Int?, count: Int) throws(FeedFault) -> PostPage {
    guard home.isThere else { return PostPage(posts: [], newest: 0) }
    return try asFeed { board throws(BoardFault) in
      try board.page(before: before, limit: count)
    }
  }

  func sound(of post: Post) throws(FeedFault) -> [UInt8] {
    let sound = try asFeed { board throws(BoardFault) in
      try board.sound(of: .number(post.number))
    }
    guard let sound else {
      throw FeedFault("post \(post.number) has no sound", isPassing: false, isMissing: true)
    }
    return sound.bytes
  }

  func post(_ draft: Draft) throws(FeedFault) {
    try asFeed { board throws(BoardFault) in try board.post(draft) }
  }

  func delete(_ id: String, secret: String) throws(FeedFault) {
    try asFeed { board throws(BoardFault) in try board.delete(id, secret: secret) }
  }

  @discardableResult
  private func asFeed<Value>(
    _ body: (Board) throws(BoardFault) -> Value
  ) throws(FeedFault) -> Value {
    do throws(BoardFault) {
      return try body(try home.board())
    } catch {
      throw FeedFault(
        error.message, isPassing: error.kind == .store, isMissing: error.kind == .missing)
    }
  }
}
