import Foundation
import HTTP
import Posix
import SQLite
import TestSupport
import Testing

@testable import Feed

/// The behavior of every store, with each database.
@Suite struct BoardStoreTests {
  private func digest(_ draft: Draft) -> [UInt8] { SHA256.digest(Array(draft.secret.utf8)) }

  private func fault(_ body: () throws -> Void) -> BoardFault.Kind? {
    do {
      try body()
      return nil
    } catch { return (error as? BoardFault)?.kind }
  }

  @Test(arguments: StoreKind.allCases)
  func `posts are stored unchanged, newest first`(_ kind: StoreKind) throws {
    guard let rig = try StoreRig(kind) else { return }
    let sound: [UInt8] = [0, 1, 0, 255, 0] + (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
    let drafts = [
      Draft(name: "Åsa", message: "hello\n\"'; DROP TABLE posts; --"),
      Draft(name: "", message: "", audio: sound), Draft(name: "b🐦", message: "<b>&amp;\u{1}"),
    ]
    let posted = try drafts.map { try rig.post($0) }
    #expect(posted.allSatisfy { $0.isNew })
    #expect(posted.map(\.post.number) == [1, 2, 3])
    let page = try rig.store.page(before: nil, after: nil, limit: 10)
    #expect(page.posts == posted.map(\.post).reversed() && page.newest == 3)
    #expect(page.posts[1].sound == Post.Sound(seconds: 1.5, bytes: sound.count, kind: .wav))
    for key in [PostKey.number(2), .id(drafts[1].id)] {
      #expect(try rig.store.sound(of: key) == StoredSound(kind: .wav, bytes: sound))
      #expect(try rig.store.find(key) == posted[1].post)
    }
    #expect(try rig.store.sound(of: .number(1)) == nil)
    #expect(try rig.store.find(.number(4)) == nil)
    #expect(try rig.store.find(.id(PostID.random())) == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `pages are contiguous`(_ kind: StoreKind) throws {
    guard let rig = try StoreRig(kind) else { return }
    #expect(
      try rig.store.page(before: nil, after: nil, limit: 5) == PostPage(posts: [], newest: 0))
    for number in 1...12 { try rig.post(Draft(name: "a", message: "\(number)")) }
    func numbers(_ before: Int?, _ after: Int?, _ limit: Int) throws -> [Int] {
      let page = try rig.store.page(before: before, after: after, limit: limit)
      #expect(page.newest == 12)
      return page.posts.map(\.number)
    }
    #expect(try numbers(nil, nil, 5) == [12, 11, 10, 9, 8])
    #expect(try numbers(8, nil, 5) == [7, 6, 5, 4, 3])
    #expect(try numbers(3, nil, 5) == [2, 1])
    #expect(try numbers(1, nil, 5) == [])
    #expect(try numbers(nil, 9, 50) == [12, 11, 10])
    #expect(try numbers(nil, 12, 50) == [])
    #expect(try numbers(7, 3, 2) == [6, 5])
  }

  @Test(arguments: StoreKind.allCases)
  func `a repeated post is stored once`(_ kind: StoreKind) throws {
    guard let rig = try StoreRig(kind) else { return }
    let draft = Draft(name: "a", message: "b", audio: [1, 2, 3])
    let first = try rig.post(draft)
    let again = try rig.post(draft)
    #expect(!again.isNew && again.post == first.post)
    // A client that lost the response with the secret may repeat the post without it.
    var unknown = draft
    unknown.secret = PostID.randomSecret()
    #expect(try rig.post(unknown, showsSecret: false).post == first.post)
    for change: (inout Draft) -> Void in [
      { $0.secret = PostID.randomSecret() }, { $0.name = "c" }, { $0.message = "c" },
      { $0.audio = [1, 2, 4] }, { $0.audio = nil },
    ] {
      var other = draft
      change(&other)
      #expect(fault { try rig.post(other) } == .taken)
    }
    #expect(try rig.store.page(before: nil, after: nil, limit: 9).posts == [first.post])
    #expect(try rig.post(Draft(name: "a", message: "next")).post.number > first.post.number)
  }

  @Test(arguments: StoreKind.allCases)
  func `concurrent posts get unique numbers`(_ kind: StoreKind) throws {
    guard let rig = try StoreRig(kind) else { return }
    let drafts = (0..<200).map { Draft(name: "\($0)", message: "m", audio: [UInt8($0)]) }
    let numbers = Collected<Int>()
    // Each one is sent twice, at any time.
    DispatchQueue.concurrentPerform(iterations: 400) { index in
      let draft = drafts[index / 2]
      let posting = Posting(
        draft, showsSecret: true, sound: Post.Sound(seconds: 0, bytes: 1, kind: .wav), date: .now)
      if let posted = try? rig.store.post(posting) { numbers.add(posted.post.number) }
    }
    #expect(numbers.all.count == 400 && Set(numbers.all).count == 200)
    let page = try rig.store.page(before: nil, after: nil, limit: 1000)
    #expect(Set(page.posts.map(\.id)) == Set(drafts.map(\.id)) && page.posts.count == 200)
    #expect(page.posts.map(\.number) == page.posts.map(\.number).sorted(by: >))
  }

  @Test(arguments: StoreKind.allCases)
  func `the secret deletes a post permanently`(_ kind: StoreKind) throws {
    guard let rig = try StoreRig(kind) else { return }
    let draft = Draft(name: "a", message: "b", audio: [1])
    let other = Draft(name: "a", message: "c")
    for draft in [draft, other] { try rig.post(draft) }
    #expect(fault { try rig.store.delete(draft.id, secret: digest(other)) } == .denied)
    #expect(fault { try rig.store.delete(PostID.random(), secret: digest(draft)) } == .missing)
    try rig.store.delete(draft.id, secret: digest(draft))
    // The response can be lost, too.
    try rig.store.delete(draft.id, secret: digest(draft))
    #expect(fault { try rig.store.delete(draft.id, secret: digest(other)) } == .missing)
    #expect(try rig.store.find(.id(draft.id)) == nil && rig.store.find(.number(1)) == nil)
    #expect(try rig.store.sound(of: .number(1)) == nil)
    #expect(fault { try rig.post(draft) } == .taken)
    #expect(try rig.store.page(before: nil, after: nil, limit: 9).posts.map(\.id) == [other.id])
  }

  @Test(arguments: StoreKind.allCases)
  func `the secret removes the name, and the post stays`(_ kind: StoreKind) throws {
    guard let rig = try StoreRig(kind) else { return }
    let draft = Draft(name: "a", message: "b", audio: [1])
    try rig.post(draft)
    #expect(fault { try rig.store.removeName(draft.id, secret: [1]) } == .denied)
    try rig.store.removeName(draft.id, secret: digest(draft))
    let post = try #require(try rig.store.find(.id(draft.id)))
    #expect(post.name == "" && post.message == "b" && post.sound != nil)
    #expect(try rig.post(draft).post == post)
  }

  @Test(arguments: StoreKind.allCases)
  func `the operator can delete posts by ID and name`(_ kind: StoreKind) throws {
    guard let rig = try StoreRig(kind) else { return }
    let drafts = ["a", "b", "a", "c", "a"].map { Draft(name: $0, message: "m", audio: [1]) }
    for draft in drafts { try rig.post(draft) }
    #expect(try rig.store.delete([drafts[3].id, PostID.random()]) == [drafts[3].id])
    #expect(try rig.store.delete(allOf: "a") == 3)
    #expect(try rig.store.delete(allOf: "a") == 0)
    let page = try rig.store.page(before: nil, after: nil, limit: 9)
    #expect(page.posts.map(\.id) == [drafts[1].id])
    // The newest post is deleted, and its number is not reused.
    #expect(try rig.post(Draft(name: "d", message: "m")).post.number == 6)
  }

  @Test(arguments: StoreKind.allCases)
  func `two stores on one database form one board`(_ kind: StoreKind) throws {
    guard let rig = try StoreRig(kind) else { return }
    let other = try rig.place.open()
    defer { other.close() }
    let draft = Draft(name: "a", message: "b", audio: [7])
    let first = try rig.post(draft)
    let again = try other.post(
      Posting(
        draft, showsSecret: true, sound: Post.Sound(seconds: 1.5, bytes: 1, kind: .wav), date: .now)
    )
    #expect(again.post == first.post && !again.isNew)
    try other.delete(draft.id, secret: digest(draft))
    #expect(try rig.store.page(before: nil, after: nil, limit: 5).posts.isEmpty)
  }

  @Test func `a store reconnects to its server without losing posts`() throws {
    guard let rig = try StoreRig(.postgres), case .postgres(let url) = rig.place else { return }
    let server = try PostgresServer.shared.get()
    let count = 60
    let posted = Collected<String>()
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      for number in 0..<count / 4 {
        if worker == 0, number % 5 == 0 { try? server.dropConnections(of: url) }
        let draft = Draft(name: "\(worker)", message: "\(number)")
        if (try? rig.store.post(Posting(draft, showsSecret: true, sound: nil, date: .now))) != nil {
          posted.add(draft.id)
        }
      }
    }
    let there = try rig.store.page(before: nil, after: nil, limit: 200).posts.map(\.id)
    #expect(posted.all.count == count && Set(there) == Set(posted.all) && there.count == count)
  }

  @Test func `posts after a number are withheld while an earlier one is in progress`()
    throws
  {
    guard let rig = try StoreRig(.postgres), case .postgres(let url) = rig.place else { return }
    let server = try PostgresServer.shared.get()
    // The post of another board, with a number but not visible yet.
    let slow = Process()
    slow.executableURL = URL(fileURLWithPath: "/usr/bin/psql")
    let input = Pipe()
    slow.standardInput = input
    slow.standardOutput = FileHandle.nullDevice
    slow.arguments = ["-X", "-q", url]
    try slow.run()
    func tell(_ sql: String) { input.fileHandleForWriting.write(Data("\(sql)\n".utf8)) }
    tell(
      """
      BEGIN; INSERT INTO syrinx_board.posts (number, id, name, message, time, zone, secret)
      VALUES (syrinx_board.next_number(), gen_random_uuid(), 'slow', 'm', 0, 0, '');
      """)
    try waitUntil("the number is assigned") {
      try server.ask(url, "SELECT last_value, is_called FROM syrinx_board.numbers") == "1|t"
    }
    let quick = try rig.post(Draft(name: "quick", message: "m")).post
    #expect(quick.number == 2)
    #expect(try rig.store.page(before: nil, after: 0, limit: 9).posts.isEmpty)
    #expect(try rig.store.page(before: nil, after: nil, limit: 9).posts == [quick])
    tell("COMMIT;")
    try waitUntil("both posts are visible") {
      try rig.store.page(before: nil, after: 0, limit: 9).posts.map(\.name) == ["quick", "slow"]
    }
    tell("\\q")
    slow.waitUntilExit()
  }

  @Test func `an unavailable server is reported in one line`() throws {
    let folder = try TemporaryFolder()
    let fault = #expect(throws: BoardFault.self) {
      _ = try PostgresStore(url: "postgresql://me:secret@/none?host=\(folder.url.path)")
    }
    let message = try #require(fault?.message)
    #expect(fault?.kind == .store && message.contains("can't reach the database"))
    #expect(!message.contains("\n") && !message.contains("secret"))
  }

  @Test(arguments: [
    ("PRAGMA application_id = 5", "another program"),
    (
      "PRAGMA application_id = \(BoardSQL.schema.application); PRAGMA user_version = 99",
      "newer version"
    ),
  ])
  func `files of other programs and of newer versions are left alone`(
    _ sql: String, _ words: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("board.sqlite")
    try BoardFile(path).execute(sql)
    let before = try folder.bytes("board.sqlite")
    let fault = #expect(throws: BoardFault.self) { _ = try SQLiteStore(path: path) }
    #expect(fault?.kind == .store && fault?.message.contains(words) == true)
    #expect(try folder.bytes("board.sqlite") == before)
  }
}

/// Results collected from several threads.
final class Collected<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [Value] = []

  var all: [Value] { lock.withLock { values } }

  func add(_ value: Value) { lock.withLock { values.append(value) } }
}
