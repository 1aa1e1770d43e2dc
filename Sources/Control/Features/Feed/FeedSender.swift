internal import Feed
internal import Posix

/// The outbox of posts, and their way to boards.
///
/// Waits for the network, so it belongs to one background queue, which makes all of its calls but
/// `newPath(ending:)`.
final class FeedSender: @unchecked Sendable {
  // A post with its sound in base64 reaches the boards' limit of 8 MB.
  private static let mostSoundBytes = 5_900_000

  private let home: String
  private var clients: BoardClients
  private let receipts: Receipts
  private let outbox: Outbox
  private let fileCount = Guarded(0)
  // The boards out of reach when last tried. Posts for others don't wait for theirs.
  private var distant: Set<String> = []

  /// Creates a sender whose outbox is in a data directory.
  init(home: String, _ connector: BoardConnector) {
    self.home = home
    clients = BoardClients(connector)
    receipts = Receipts(home: home)
    outbox = Outbox(home: home)
  }

  /// Returns the path of a new file for a sound on its way into the outbox.
  ///
  /// Any thread.
  func newPath(ending: String) throws(Refusal) -> String {
    let number = fileCount.withLock { count in
      count += 1
      return count
    }
    let folder = "\(home)/outbox"
    try refusing("can't save the post: ") { () throws(SystemError) in
      try Files.makeFolder(folder)
    }
    // A file left behind by an earlier process is overwritten.
    let path = "\(folder)/sound-\(number).\(ending)"
    Files.remove(path)
    return path
  }

  /// Queues a post with the sound in a file, which is removed.
  ///
  /// Returns the post's identifier and the number of queued posts.
  func add(
    _ board: String, name: String, message: String, soundAt path: String?
  ) throws(Refusal) -> (id: String, waiting: Int) {
    defer { if let path { Files.remove(path) } }
    var audio: [UInt8]?
    if let path {
      do throws(SystemError) {
        audio = try Files.contents(of: path, atMost: Self.mostSoundBytes)
      } catch {
        guard error.isTooLarge else { throw Refusal(.io, "can't read the sound: \(error)") }
        throw Refusal(
          .range, "the sound exceeds 5.9 MB; post a shorter one, or set /feed/format opus")
      }
    }
    let draft = Draft(name: name, message: message, audio: audio)
    return try refusing { () throws(FeedFault) in
      (draft.id, try outbox.add(draft, for: board))
    }
  }

  /// The outcome of sending the oldest queued post.
  enum Sending: Sendable {
    /// The outbox is empty.
    case nothing
    case sent
    /// The post stays queued and is sent again later.
    case later(String)
    /// The board rejects the post for good; it is put aside.
    case refused(String)
  }

  /// Sends the oldest queued post whose board can be reached, and returns the number of those left.
  func sendNext() -> (sending: Sending, left: Int) {
    let numbers = outbox.numbers
    var tried: Set<String> = []
    var fault = ""
    for isDistant in [false, true] {
      for number in numbers {
        guard let item = outbox.item(number) else {
          return (.refused("can't read a queued post"), numbers.count - 1)
        }
        let board = item.board
        guard distant.contains(board) == isDistant, !tried.contains(board) else { continue }
        do throws(FeedFault) {
          try clients.client(of: board).post(item.draft)
          distant.remove(board)
          receipts.add(item.draft, board: board)
          outbox.remove(number)
          return (.sent, numbers.count - 1)
        } catch {
          guard error.isPassing else {
            outbox.putAside(number)
            return (.refused(error.message), numbers.count - 1)
          }
          distant.insert(board)
          tried.insert(board)
          if fault.isEmpty { fault = error.message }
        }
      }
    }
    return numbers.isEmpty ? (.nothing, 0) : (.later(fault), numbers.count)
  }
}
