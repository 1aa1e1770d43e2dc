internal import Feed
internal import Posix

/// Reads posts and their sounds from boards, and deletes posts of this node's own.
///
/// Waits for the network, so it belongs to one background queue, which makes all of its calls.
final class FeedReader: @unchecked Sendable {
  // The post cache is emptied above this count.
  private static let mostKnown = 1000

  private var clients: BoardClients
  private let copies: SoundCopies
  private let receipts: Receipts
  private var known: [Int: Post] = [:]
  private var soundPaths: [Int: String] = [:]

  /// Creates a reader that keeps copies of sounds in a data directory.
  init(home: String, _ connector: BoardConnector) {
    clients = BoardClients(connector)
    copies = SoundCopies(home: home)
    receipts = Receipts(home: home)
  }

  // The caches belong to one board: post numbers mean something else on another.
  private func client(of board: String) throws(FeedFault) -> any BoardClient {
    if clients.board != board { (known, soundPaths) = ([:], [:]) }
    return try clients.client(of: board)
  }

  /// Returns the numbers of the posts in a page that this node sent.
  func own(_ board: String, in page: PostPage) -> Set<Int> {
    let secrets = receipts.secrets(board: board)
    return Set(page.posts.lazy.filter { secrets[$0.id] != nil }.map(\.number))
  }

  /// Returns posts before a number, or the newest ones.
  func page(_ board: String, before: Int?, count: Int) throws(Refusal) -> PostPage {
    try refusing { () throws(FeedFault) in
      let page = try client(of: board).page(before: before, count: count)
      if known.count > Self.mostKnown { known.removeAll() }
      for post in page.posts { known[post.number] = post }
      return page
    }
  }

  /// Returns a post by number, and the path of a file with its sound.
  func sound(_ board: String, _ number: Int) throws(Refusal) -> (post: Post, path: String) {
    try refusing { () throws(FeedFault) in
      let post = try post(board, number)
      guard post.sound != nil else {
        throw FeedFault("post \(number) has no sound", isPassing: false, isMissing: true)
      }
      if let path = soundPaths[number], Files.exist(path) { return (post, path) }
      let bytes = try client(of: board).sound(of: post)
      let path = try copies.path(of: bytes, named: "\(number)")
      soundPaths[number] = path
      return (post, path)
    }
  }

  private func post(_ board: String, _ number: Int) throws(FeedFault) -> Post {
    let client = try client(of: board)
    if let post = known[number] { return post }
    let page = try client.page(before: number + 1, count: 1)
    guard let post = page.posts.first, post.number == number else {
      throw FeedFault(
        "unknown post \(number); /feed lists all", isPassing: false, isMissing: true)
    }
    known[number] = post
    return post
  }

  /// Deletes a post of this node's own from a board.
  func delete(_ board: String, _ number: Int) throws(Refusal) -> Post {
    try refusing { () throws(FeedFault) in
      let post = try post(board, number)
      guard let secret = receipts.secrets(board: board)[post.id] else {
        throw FeedFault("post \(number) is not from this node", isPassing: false)
      }
      try client(of: board).delete(post.id, secret: secret)
      known[number] = nil
      return post
    }
  }
}
