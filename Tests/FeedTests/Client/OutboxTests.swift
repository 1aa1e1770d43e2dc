import Feed
import Foundation
import TestSupport
import Testing

/// The queue of posts to be sent, and the secrets of sent ones.
@Suite struct OutboxTests {
  private let folder: TemporaryFolder
  private let outbox: Outbox

  init() throws {
    folder = try TemporaryFolder()
    outbox = Outbox(home: folder.url.path)
  }

  @Test func `posts leave the queue unchanged and in order, also after a restart`() throws {
    let drafts = [
      Draft(name: "Ada", message: "line\nbreak \"quoted\" \u{1F426}", audio: Array(0...255)),
      Draft(name: "", message: "second"),
    ]
    #expect(try outbox.add(drafts[0], for: "") == 1)
    #expect(try outbox.add(drafts[1], for: "http://board.example:8090") == 2)
    let again = Outbox(home: folder.url.path)
    #expect(again.numbers == [1, 2])
    let items = again.numbers.compactMap(again.item)
    #expect(items.map(\.draft) == drafts)
    #expect(items.map(\.board) == ["", "http://board.example:8090"])
    again.remove(1)
    #expect(outbox.numbers == [2])
    // Numbers grow, even if a lower one is free.
    _ = try outbox.add(drafts[0], for: "")
    #expect(outbox.numbers == [2, 3])
  }

  @Test func `a rejected post is set aside`() throws {
    _ = try outbox.add(Draft(name: "", message: "one"), for: "")
    _ = try outbox.add(Draft(name: "", message: "two"), for: "")
    outbox.putAside(1)
    #expect(outbox.numbers == [2])
    #expect(FileManager.default.fileExists(atPath: folder.path("outbox/1.post.refused")))
  }

  @Test func `a damaged file does not block the queue`() throws {
    _ = try outbox.add(Draft(name: "", message: "one"), for: "")
    _ = try outbox.add(Draft(name: "", message: "two"), for: "")
    try "{}".write(toFile: folder.path("outbox/1.post"), atomically: false, encoding: .utf8)
    #expect(outbox.item(1) == nil)
    #expect(outbox.numbers == [2])
    #expect(outbox.item(2)?.draft.message == "two")
  }

  @Test func `the queue is limited`() throws {
    for number in 0..<Outbox.most {
      _ = try outbox.add(Draft(name: "", message: "\(number)"), for: "")
    }
    let fault = #expect(throws: FeedFault.self) {
      try outbox.add(Draft(name: "", message: "more"), for: "")
    }
    #expect(fault?.message.contains("are already queued") == true)
  }

  @Test func `secrets are found by post and board, and are readable by their owner only`() throws {
    let receipts = Receipts(home: folder.url.path)
    let (one, two) = (Draft(name: "", message: "a"), Draft(name: "", message: "b"))
    receipts.add(one, board: "")
    receipts.add(two, board: "http://board.example")
    #expect(Receipts(home: folder.url.path).secrets(board: "") == [one.id: one.secret])
    #expect(receipts.secrets(board: "http://board.example") == [two.id: two.secret])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("feed/receipts"))
    #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
  }
}
