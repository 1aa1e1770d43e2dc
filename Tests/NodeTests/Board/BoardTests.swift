import Foundation
import HTTP
import JSON
import Posix
import TestSupport
import Testing

@testable import Feed

/// Boards as standalone programs.
@Suite(.serialized) struct BoardTests {
  static let clip: [UInt8] = {
    let folder = try! TemporaryFolder()
    try! SoundFixture.write(
      folder.path("a.wav"), [(0..<6000).map { Float($0 % 50) / 100 }], samples: .integer16)
    return Array(try! folder.bytes("a.wav"))
  }()

  private func draft(_ number: Int, name: String = "a") -> Draft {
    Draft(name: name, message: "\(number)", audio: number % 3 == 0 ? nil : Self.clip)
  }

  /// A connection to a board.
  static func line(_ url: String) throws -> RemoteBoard {
    RemoteBoard(try #require(HTTPPlace(url)), userAgent: "test")
  }

  @Test func `a board prints its URL, serves, and exits with 0`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("deep/board.sqlite")
    let board = try BoardProcess(database: file, [])
    #expect(board.ready["database"] == file)
    let line = try Self.line(board.url)
    let one = draft(1)
    try line.post(one)
    let post = try #require(try line.page(before: nil, count: 9).posts.first)
    #expect(post.id == one.id && abs((post.sound?.seconds ?? 0) - 0.125) < 0.001)
    #expect(try line.sound(of: post) == Self.clip)
    #expect(board.scratch.count == 1)
    #expect(board.end() == 0 && board.errors.isEmpty && board.scratch.isEmpty)
    // The operator's list, with and without the board.
    let list = try NodeProcess.run(["board", "list", "--database", file])
    #expect(list.code == 0 && list.output.hasPrefix("1\t\(one.id)\t"))
    #expect(list.output.hasSuffix("\t0.125\ta\t1\n"))
  }

  @Test func `the operator deletes posts while it runs`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("board.sqlite")
    let board = try BoardProcess(database: file)
    let line = try Self.line(board.url)
    let drafts = ["a", "b", "a"].enumerated().map { draft($0, name: $1) }
    for draft in drafts { try line.post(draft) }
    func run(_ words: String...) throws -> Int32 {
      try NodeProcess.run(["board"] + words + ["--database", file]).code
    }
    #expect(try run("delete", drafts[0].id.uppercased()) == 0)
    #expect(try run("delete", drafts[0].id) == 66)
    #expect(try run("delete", "--name", "a") == 0)
    #expect(try run("delete", "--name", "a") == 66)
    #expect(try line.page(before: nil, count: 9).posts.map(\.id) == [drafts[1].id])
    for words in [
      ["delete"], ["delete", "x"], ["delete", drafts[1].id, "--name", "b"], ["list", "x"], ["lst"],
      ["--port", "x"], ["--listen", "x"], ["--rate", "-1"], ["--name", "b"],
      ["list", "--port", "1"],
      ["--database", "mysql://x"], ["--host", "a:1"],
    ] {
      let result = try NodeProcess.run(["board"] + words)
      #expect(result.code == 64 && result.errors.split(separator: "\n").count == 1, "\(words)")
    }
    #expect(try NodeProcess.run(["board", "list", "--database", folder.path("none")]).code == 66)
  }

  @Test func `slow clients keep nobody out of a board`() throws {
    let folder = try TemporaryFolder()
    let board = try BoardProcess(database: folder.path("board.sqlite"))
    let port = try #require(HTTPPlace(board.url)?.port)
    let begun = Array("GET /posts HTTP/1.1\r\nHost: localhost\r\n".utf8)
    var slow: [FileHandle] = []
    for number in 0..<200 {
      let client = FileHandle(
        fileDescriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), closeOnDealloc: true)
      let own = Endpoint(address: IPAddress("127.0.0.\(number % 2 + 2)")!, port: 0)
      let there = Endpoint(address: .loopback4, port: port)
      try #require(own.withSockaddr { bind(client.fileDescriptor, $0, $1) } == 0)
      try #require(there.withSockaddr { connect(client.fileDescriptor, $0, $1) } == 0)
      _ = send(client.fileDescriptor, begun, begun.count, Int32(MSG_NOSIGNAL))
      slow.append(client)
    }
    let line = try Self.line(board.url)
    for number in 0..<5 { try line.post(draft(number)) }
    #expect(try line.page(before: nil, count: 50).posts.count == 5)
    withExtendedLifetime(slow) {}
    #expect(board.end() == 0)
  }

  @Test func `a store that can't be opened is reported in one line`() throws {
    for (place, code): (String, Int32) in [
      ("postgresql:///none?host=/nowhere", 69), ("/proc/none/board.sqlite", 69),
      (#filePath, 69),
    ] {
      let result = try NodeProcess.run(["board", "--database", place, "--port", "0"])
      #expect(result.code == code, "\(place)")
      #expect(result.errors.split(separator: "\n").count == 1 && result.output.isEmpty)
    }
  }

  @Test func `two boards on one PostgreSQL are one board`() throws {
    guard let url = try Self.postgres() else { return }
    let boards = [try BoardProcess(database: url), try BoardProcess(database: url)]
    #expect(boards[0].ready["database"] == "postgresql")
    let lines = try boards.map { try Self.line($0.url) }
    for number in 0..<10 { try lines[number % 2].post(draft(number)) }
    for line in lines {
      let page = try line.page(before: nil, count: 50)
      #expect(page.posts.map(\.message) == (0..<10).reversed().map { "\($0)" })
    }
    let draft = draft(11)
    for line in lines { try line.post(draft) }
    try lines[0].delete(draft.id, secret: draft.secret)
    #expect(try lines[1].page(before: nil, count: 50).posts.count == 10)
    #expect(boards.map { $0.end() } == [0, 0])
  }

  static func postgres() throws -> String? {
    switch PostgresServer.shared {
    case .success(let server): return try server.database()
    case .failure(let fault):
      withKnownIssue("PostgreSQL is not available here") { throw fault }
      return nil
    }
  }
}
