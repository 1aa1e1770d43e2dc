import Control
import Doors
import Feed
import Foundation
import HTTP
import JSON
import TestSupport
import Testing

/// The node's own board, at `/board` of the web server.
@Suite struct NodeBoardTests {
  private func draft(_ message: String) -> Draft { Draft(name: "a", message: message) }

  private func post(
    _ rig: WebRig, _ draft: Draft, _ headers: [String: String] = [:]
  ) throws -> WebClient.Answer {
    try rig.client().ask("POST", "/board/postaudio", headers, body: Array(draft.json.utf8))
  }

  private func messages(_ rig: WebRig) throws -> [String] {
    let answer = try rig.get("/board/posts")
    return try #require(PostPage(JSON(answer.body))).posts.map(\.message)
  }

  @Test func `phones post and read without a token, and the board is in the data directory`() throws
  {
    let rig = try WebRig(isOpen: true)
    #expect(!FileManager.default.fileExists(atPath: rig.folder.path("board.sqlite")))
    #expect(try messages(rig).isEmpty)
    #expect(FileManager.default.fileExists(atPath: rig.folder.path("board.sqlite")))
    for message in ["one", "two"] { #expect(try post(rig, draft(message)).status == 200) }
    #expect(try messages(rig) == ["two", "one"])
    let rows = try rig.get("/board/getaudio/", ["Accept": "text/html"])
    #expect(rows.status == 200 && rows.headers["content-type"] == "application/json")
    #expect(BoardList.rows(in: rows.body)?.map(\.name) == ["a", "a"])
    #expect(rows.headers["x-content-type-options"] == "nosniff")
    #expect(try rig.incoming.isEmpty)
  }

  @Test func `a page of another site can't post, and gets nothing under another host name`() throws
  {
    let rig = try WebRig()
    let one = draft("one")
    #expect(try post(rig, one, ["Origin": "http://evil.example"]).status == 403)
    #expect(try post(rig, one, ["Host": "evil.example"]).status == 421)
    #expect(try rig.get("/board/posts", ["Host": "evil.example"]).status == 421)
    #expect(try post(rig, one, ["Origin": "http://127.0.0.1"]).status == 200)
    #expect(try messages(rig) == ["one"])
  }

  @Test func `an address can't post more than a phone does`() throws {
    let rig = try WebRig()
    let statuses = try (0..<32).map { try post(rig, draft("\($0)")).status }
    #expect(statuses == Array(repeating: 200, count: 30) + [429, 429])
  }

  @Test func `a path that only starts like the board's is an address`() throws {
    let rig = try WebRig()
    #expect(try rig.get("/boards").status == 404)
    #expect(try rig.get("/boards").text.contains("unknown address"))
    #expect(try rig.get("/board").text.contains("postaudio"))
  }

  @Test func `the node and its web server share one board`() throws {
    let folder = try TemporaryFolder()
    let home = HomeBoard { [path = folder.url.path] in path }
    let board = try home.board()
    let one = draft("one")
    let post = try board.post(one)
    #expect(try home.board().page().posts == [post])
    #expect(try board.post(one) == post)
    #expect(try board.sound(of: .id(one.id)) == nil)
    let other = HomeBoard { [path = folder.url.path] in path }
    #expect(try other.board().page().posts == [post])
  }

  @Test func `the board follows the data directory when a session changes it`() throws {
    let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
    let place = Place(first.url.path)
    let home = HomeBoard { place.home }
    try home.board().post(draft("one"))
    place.home = second.url.path
    #expect(try home.board().page().posts.isEmpty)
    place.home = first.url.path
    #expect(try home.board().page().posts.count == 1)
    place.home = nil
    #expect(throws: BoardFault.self) { _ = try home.board() }
  }

  /// A data directory that changes.
  private final class Place: @unchecked Sendable {
    var home: String?
    init(_ home: String) { self.home = home }
  }
}
