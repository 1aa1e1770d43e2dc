internal import DSP
internal import Engine
internal import Feed
internal import Library
internal import Posix
internal import SoundFiles

/// The part of the feed that waits for networks and disks: on a thread of its own, one thing after the other.
///
/// Each of the feature's workers has one.
final class FeedDesk: @unchecked Sendable {
  // A whole post, with its sound in base 64, comes to what boards take: 8 MB.
  private static let mostSoundBytes = 5_900_000
  // So many posts are remembered with their identifiers.
  private static let mostKnown = 1000

  private let home: String
  private let lines: BoardLines
  private lazy var copies = SoundCopies(home: home)
  private lazy var receipts = Receipts(home: home)
  /// The posts that wait to be sent.
  private(set) lazy var outbox = Outbox(home: home)
  private var line: (board: String, line: any Line)?
  private var known: [Int: Post] = [:]
  private var soundPaths: [Int: String] = [:]

  private let fileCount = Guarded(0)

  /// A desk in a home folder, with lines to boards.
  init(home: String, _ lines: BoardLines) {
    self.home = home
    self.lines = lines
  }

  private func line(to board: String) throws(FeedFault) -> any Line {
    if let line, line.board == board { return line.line }
    let new = try lines.line(to: board)
    line = (board, new)
    (known, soundPaths) = ([:], [:])
    return new
  }

  // MARK: - Reading

  /// The numbers of the posts in a page that this node sent.
  func own(_ board: String, in page: PostPage) -> Set<Int> {
    let secrets = receipts.secrets(board: board)
    return Set(page.posts.lazy.filter { secrets[$0.id] != nil }.map(\.number))
  }

  /// Posts before a number, or the newest ones.
  func page(_ board: String, before: Int?, count: Int) throws(Refusal) -> PostPage {
    try asRefusal { () throws(FeedFault) in
      let page = try line(to: board).page(before: before, count: count)
      if known.count > Self.mostKnown { known.removeAll() }
      for post in page.posts { known[post.number] = post }
      return page
    }
  }

  /// The post of a number, and the path of a file that has its sound.
  func sound(_ board: String, _ number: Int) throws(Refusal) -> (post: Post, path: String) {
    try asRefusal { () throws(FeedFault) in
      let post = try post(board, number)
      guard post.sound != nil else {
        throw FeedFault("post \(number) has no sound", isPassing: false, isMissing: true)
      }
      if let path = soundPaths[number], Files.exist(path) { return (post, path) }
      let bytes = try line(to: board).sound(of: post)
      let path = try copies.path(of: bytes, named: "\(number)")
      soundPaths[number] = path
      return (post, path)
    }
  }

  private func post(_ board: String, _ number: Int) throws(FeedFault) -> Post {
    let line = try line(to: board)
    if let post = known[number] { return post }
    let page = try line.page(before: number + 1, count: 1)
    guard let post = page.posts.first, post.number == number else {
      throw FeedFault(
        "there is no post \(number); /feed lists them", isPassing: false, isMissing: true)
    }
    known[number] = post
    return post
  }

  // MARK: - Sound files

  /// The path of a file that is not there yet, for a sound on its way into the outbox; any thread.
  func newPath(ending: String) throws(Refusal) -> String {
    let number = fileCount.withLock { count in
      count += 1
      return count
    }
    let folder = "\(home)/outbox"
    do throws(SystemError) {
      try Files.makeFolder(folder)
    } catch {
      throw Refusal(.io, "the post can't be kept: \(error)")
    }
    // A file that a node before left is written over.
    let path = "\(folder)/sound-\(number).\(ending)"
    Files.remove(path)
    return path
  }

  /// The length of the sound in a file, in seconds.
  static func seconds(_ path: String) throws(Refusal) -> Double {
    do throws(SoundFileError) {
      let reader = try SoundReader(path)
      // A sound that does not say how long it is, is played as a song.
      guard let frames = reader.expectedFrames else { return .infinity }
      return Double(frames) / Double(reader.rate)
    } catch {
      throw Refusal(.type, "this post's sound can't be read")
    }
  }

  /// Reads the beginning of a file into the memory of a clip.
  static func readClip(_ path: String, into transfer: ClipTransfer) throws(Refusal) -> ClipPart {
    do throws(SoundFileError) {
      return try ClipPart(
        path, into: transfer.sound, room: transfer.capacity, seconds: transfer.seconds,
        rate: transfer.sampleRate)
    } catch {
      throw Refusal(.type, "this post's sound can't be read")
    }
  }

  /// Writes a clip to a file in the format of its ending.
  static func write(_ transfer: ClipTransfer, to path: String) throws(Refusal) {
    do throws(SoundFileError) {
      var writer = try SoundWriter(
        path, rate: transfer.sampleRate, isFine: false, expectedFrames: transfer.length)
      try writer.write(transfer.sound, frames: transfer.length)
      try writer.finish()
    } catch {
      throw Refusal(.io, "\(error)")
    }
  }

  // MARK: - Writing

  /// Puts a post into the outbox, with the sound in a file, which is removed; returns its identifier and how
  /// many wait.
  func add(
    _ board: String, name: String, message: String, soundAt path: String?
  ) throws(Refusal) -> (id: String, waiting: Int) {
    defer { if let path { Files.remove(path) } }
    var audio: [UInt8]?
    if let path {
      do throws(SystemError) {
        audio = try Files.contents(of: path, atMost: Self.mostSoundBytes)
      } catch {
        guard error.isTooLarge else { throw Refusal(.io, "the sound can't be read: \(error)") }
        throw Refusal(
          .range, "a post's sound has 5.9 MB at most; post less of it, or with /feed/format opus")
      }
    }
    let draft = Draft(name: name, message: message, audio: audio)
    return try asRefusal { () throws(FeedFault) in
      (draft.id, try outbox.add(draft, for: board))
    }
  }

  /// The outcome of sending the first that waits.
  enum Sending: Sendable {
    /// Nothing waits.
    case nothing
    case sent(left: Int)
    /// It will be tried again.
    case later(String, left: Int)
    /// The board will never take it; it is kept apart.
    case refused(String, left: Int)
  }

  /// Sends the first that waits.
  func sendNext() -> Sending {
    let numbers = outbox.numbers
    guard let number = numbers.first else { return .nothing }
    let left = numbers.count - 1
    guard let item = outbox.item(number) else {
      return .refused("a post that waited can't be read any more", left: left)
    }
    do throws(FeedFault) {
      try line(to: item.board).post(item.draft)
      receipts.add(item.draft, board: item.board)
      outbox.remove(number)
      return .sent(left: left)
    } catch {
      if error.isPassing { return .later(error.message, left: numbers.count) }
      outbox.putAside(number)
      return .refused(error.message, left: left)
    }
  }

  /// Takes one's own post back from a board.
  func delete(_ board: String, _ number: Int) throws(Refusal) -> Post {
    try asRefusal { () throws(FeedFault) in
      let post = try post(board, number)
      guard let secret = receipts.secrets(board: board)[post.id] else {
        throw FeedFault("post \(number) is not from this node", isPassing: false)
      }
      try line(to: board).delete(post.id, secret: secret)
      known[number] = nil
      return post
    }
  }

  private func asRefusal<Value>(
    _ body: () throws(FeedFault) -> Value
  ) throws(Refusal) -> Value {
    do throws(FeedFault) {
      return try body()
    } catch {
      throw Refusal(error.isMissing ? .missing : error.isPassing ? .io : .denied, error.message)
    }
  }
}
