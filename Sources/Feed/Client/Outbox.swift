internal import JSON
internal import Posix

/// The posts that wait to be sent, each in a file of its own: they outlive the node, and go in their
/// order.
///
/// One thread at a time.
package final class Outbox: @unchecked Sendable {
  /// A post that waits, and the board that it is for.
  package struct Item: Equatable, Sendable {
    /// Its place in the order.
    package let number: Int
    /// The URL of the board; empty for the node's own.
    package let board: String
    /// What is to be posted.
    package let draft: Draft
  }

  /// So many can wait.
  package static let most = 200
  // A clip of ten seconds as it is written, in base 64, with room.
  private static let mostBytes = 24 << 20

  private let folder: String

  /// The outbox in a home folder.
  package init(home: String) { folder = "\(home)/outbox" }

  /// The numbers of those that wait, in order.
  package var numbers: [Int] {
    Files.names(in: folder).compactMap { name in
      name.hasSuffix(Self.ending) ? Int(name.dropLast(Self.ending.count)) : nil
    }.sorted()
  }

  /// Adds one behind the others; returns how many wait then.
  package func add(_ draft: Draft, for board: String) throws(FeedFault) -> Int {
    let numbers = numbers
    guard numbers.count < Self.most else {
      throw FeedFault("\(numbers.count) posts wait to be sent already", isPassing: true)
    }
    var json = JSONText()
    json.begin("{")
    json.add("board", board)
    json.end("}")
    let text = json.text + "\n" + draft.json + "\n"
    do throws(SystemError) {
      try Files.makeFolder(folder)
      try Files.write(text, to: path(of: (numbers.last ?? 0) + 1))
    } catch {
      throw FeedFault("the post can't be kept: \(error)", isPassing: true)
    }
    return numbers.count + 1
  }

  /// Reads one; nil where it can't be read, and is put out of the way.
  package func item(_ number: Int) -> Item? {
    let path = path(of: number)
    guard let bytes = try? Files.contents(of: path, atMost: Self.mostBytes) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    guard parts.count == 2, let head = try? JSON(Array(parts[0])), let board = head["board"]?.text,
      let body = try? JSON(Array(parts[1])), let draft = try? Draft(posted: body)
    else {
      _ = Files.move(path, to: "\(path).broken")
      return nil
    }
    return Item(number: number, board: board, draft: draft)
  }

  /// Keeps one apart that no board takes.
  package func putAside(_ number: Int) {
    _ = Files.move(path(of: number), to: "\(path(of: number)).refused")
  }

  /// Takes one out that was sent.
  package func remove(_ number: Int) { Files.remove(path(of: number)) }

  private static let ending = ".post"
  private func path(of number: Int) -> String { "\(folder)/\(number)\(Self.ending)" }
}
