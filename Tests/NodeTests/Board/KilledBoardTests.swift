import Foundation
import TestSupport
import Testing

@testable import Feed

extension BoardTests {
  /// Boards killed at any moment while clients post: every acknowledged post exists, and none
  /// exists twice.
  @Suite struct KilledBoardTests {
    private static let rounds = 25
    private static let clients = 6

    /// The clients' posts, and which of them were acknowledged.
    private final class Sent: @unchecked Sendable {
      private let lock = NSLock()
      private var drafts: [String: Draft] = [:]
      private var answered: Set<String> = []
      private var waiting: [Draft] = []

      /// A draft to send: one without a reply, or a new one.
      func next() -> Draft {
        lock.withLock {
          if let draft = waiting.popLast() { return draft }
          let number = drafts.count
          let draft = Draft(
            name: "a", message: "\(number)", audio: number % 2 == 0 ? BoardTests.clip : nil)
          drafts[draft.id] = draft
          return draft
        }
      }

      func note(_ draft: Draft, wasAnswered: Bool) {
        lock.withLock {
          if wasAnswered { answered.insert(draft.id) } else { waiting.append(draft) }
        }
      }

      var all: (drafts: [String: Draft], answered: Set<String>) {
        lock.withLock { (drafts, answered) }
      }
    }

    @Test(.hangLimit)
    func `killed at any moment, a board with a file has every acknowledged post once`() throws {
      let folder = try TemporaryFolder()
      try kill(at: .file(folder.path("board.sqlite")), folder.path("board.sqlite"), boards: 1)
    }

    @Test(.hangLimit)
    func `killed at any moment, two boards on one PostgreSQL have every acknowledged post once`()
      throws
    {
      guard let url = try BoardTests.postgres() else { return }
      try kill(at: .postgres(url), url, boards: 2)
    }

    private func kill(at place: BoardPlace, _ database: String, boards count: Int) throws {
      let sent = Sent()
      var killedWithOpenPosts = 0
      for _ in 0..<Self.rounds {
        let boards = try (0..<count).map { _ in try BoardProcess(database: database) }
        let urls = boards.map(\.url)
        let before = sent.all.answered.count
        let group = DispatchGroup()
        for client in 0..<Self.clients {
          DispatchQueue.global().async(group: group) {
            guard let line = try? BoardTests.line(urls[client % count]) else { return }
            // Until the board has exited.
            while true {
              let draft = sent.next()
              do throws(FeedFault) {
                try line.post(draft)
                sent.note(draft, wasAnswered: true)
              } catch {
                sent.note(draft, wasAnswered: false)
                return
              }
            }
          }
        }
        try waitUntil("some are acknowledged", every: 0.001) { sent.all.answered.count > before }
        letPass(seconds: .random(in: 0...0.15), "a random moment")
        for board in boards { board.kill() }
        group.wait()
        let (drafts, answered) = sent.all
        killedWithOpenPosts += drafts.count > answered.count ? 1 : 0
        try check(place, drafts, answered)
      }
      #expect(killedWithOpenPosts > Self.rounds / 2)
      let (drafts, answered) = sent.all
      print("killed \(Self.rounds) times: \(answered.count) of \(drafts.count) posts acknowledged")
    }

    private func check(
      _ place: BoardPlace, _ drafts: [String: Draft], _ answered: Set<String>
    ) throws {
      let store = try place.open()
      defer { store.close() }
      let posts = try store.page(before: nil, after: nil, limit: 1_000_000).posts
      let ids = posts.map(\.id)
      #expect(Set(ids).count == ids.count)
      #expect(answered.isSubset(of: ids), "\(answered.subtracting(ids).count) are lost")
      #expect(Set(ids).isSubset(of: drafts.keys))
      for post in posts.prefix(40) {
        let draft = try #require(drafts[post.id])
        #expect(post.message == draft.message)
        #expect(try store.sound(of: .id(post.id))?.bytes == draft.audio)
      }
    }
  }
}
