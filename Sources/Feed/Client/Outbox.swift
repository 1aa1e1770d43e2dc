internal import JSON
internal import Posix

/// A persistent queue of posts to be sent, in order, with one file per post.
///
/// One thread at a time.
package final class Outbox: @unchecked Sendable {
  /// A queued post and its board.
  package struct Item: Equatable, Sendable {
    /// The number, which determines the order.
    package let number: Int
    /// The URL of the board, or empty for the node's own.
    package let board: String
    /// The post.
    package let draft: Draft
  }

  /// The maximum number of queued posts.
  package static let most = 200
  // A clip of ten seconds in Base64, with a margin.
  private static let mostBytes = 24 << 20

  private let folder: String

  /// Creates the queue in a data directory.
  package init(home: String) { folder = "\(home)/outbox" }

  /// The numbers of the queued posts, in order.
  package var numbers: [Int] {
    Files.names(in: folder).compactMap { name in
      name.hasSuffix(Self.ending) ? Int(name.dropLast(Self.ending.count)) : nil
    }.sorted()
  }

  /// Queues a post.
  ///
  /// Returns the new number of queued posts.
  package func add(_ draft: Draft, for board: String) throws(FeedFault) -> Int {
    let numbers = numbers
    guard numbers.count < Self.most else {
      throw FeedFault("\(numbers.count) posts are already queued", isPassing: true)
    }
    let text = (["board": board] as JSONText).text + "\n" + draft.json + "\n"
    let path = path(of: (numbers.last ?? 0) + 1)
    try system(try Files.write(Array(text.utf8), to: path, inNewFolder: folder)) {
      FeedFault("can't save the post: \($0)", isPassing: true)
    }
    return numbers.count + 1
  }

  /// Reads a queued post.
  ///
  /// Returns nil if it is unreadable, in which case its file is renamed.
  package func item(_ number: Int) -> Item? {
    let path = path(of: number)
    guard let bytes = try? Files.contents(of: path, atMost: Self.mostBytes) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    guard parts.count == 2, let head = try? JSON(Array(parts[0])), let board = head["board"]?.text,
      let body = try? JSON(Array(parts[1]), within: Draft.limits),
      let draft = try? Draft(posted: body)
    else {
      _ = Files.move(path, to: "\(path).broken")
      return nil
    }
    return Item(number: number, board: board, draft: draft)
  }

  /// Renames the file of a post that its board permanently rejects.
  package func putAside(_ number: Int) {
    _ = Files.move(path(of: number), to: "\(path(of: number)).refused")
  }

  /// Removes a post that was sent.
  package func remove(_ number: Int) { Files.remove(path(of: number)) }

  private static let ending = ".post"
  private func path(of number: Int) -> String { "\(folder)/\(number)\(Self.ending)" }
}
