import Foundation
import HTTP
import Posix
import TestSupport
import Testing

@testable import Feed

/// Remote boards from their clients' view.
@Suite struct RemoteBoardTests {
  private func line(_ url: String) throws -> RemoteBoard {
    RemoteBoard(try #require(HTTPPlace(url)), userAgent: "Test/1")
  }

  private static let manners: [CourseBoard.Manner] = {
    var manners: [CourseBoard.Manner] = []
    for columns in [4, 5] {
      for isObject in [true, false] {
        for hasSlash in [true, false] {
          manners.append(
            CourseBoard.Manner(columns: columns, isObject: isObject, hasSlash: hasSlash))
        }
      }
    }
    return manners
  }()

  @Test(arguments: 0..<8)
  func `a board with only two paths works in every variant`(index: Int) throws {
    let board = try CourseBoard(Self.manners[index])
    defer { board.end() }
    let line = try line(board.url + (index % 3 == 0 ? "/" : ""))
    #expect(try line.page(before: nil, count: 10) == PostPage(posts: [], newest: 0))
    let sound = SoundBytes.wave()
    try line.post(Draft(name: "Ada", message: "first"))
    try line.post(Draft(name: "Bob", message: "second", audio: sound))
    let page = try line.page(before: nil, count: 10)
    #expect(page.posts.map(\.message) == ["second", "first"])
    #expect(page.posts.map(\.name) == ["Bob", "Ada"])
    #expect(page.posts.map(\.number) == [2, 1] && page.newest == 2)
    #expect(page.posts[0].sound?.kind == .wav && page.posts[1].sound == nil)
    #expect(page.posts[0].date.text.hasPrefix("2026-11-22T"))
    #expect(try line.sound(of: page.posts[0]) == sound)
    #expect(throws: FeedFault.self) { try line.sound(of: page.posts[1]) }
    // Numbers are stable when later posts arrive.
    try line.post(Draft(name: "Ada", message: "third"))
    #expect(try line.page(before: nil, count: 1).posts.map(\.number) == [3])
    #expect(try line.page(before: 3, count: 1).posts.map(\.message) == ["second"])
  }

  @Test func `such a board does not support deletion, and the client reports that`() throws {
    let board = try CourseBoard()
    defer { board.end() }
    let line = try line(board.url)
    try line.post(Draft(name: "", message: "here"))
    let fault = #expect(throws: FeedFault.self) { try line.delete("id-1", secret: "x") }
    #expect(
      fault?.isPassing == false
        && fault?.message.contains("does not support deleting posts") == true)
  }

  @Test func `redirects to another server are not followed`() throws {
    let other = try CourseBoard()
    let board = try CourseBoard(CourseBoard.Manner(leads: "\(other.url)/getaudio/"))
    defer {
      board.end()
      other.end()
    }
    let line = try line(board.url)
    let fault = #expect(throws: FeedFault.self) { try line.page(before: nil, count: 1) }
    #expect(fault?.isPassing == false && fault?.message.contains("redirects to") == true)
    let round = try CourseBoard(CourseBoard.Manner(leads: "/posts"))
    defer { round.end() }
    let endless = #expect(throws: FeedFault.self) {
      try self.line(round.url).page(before: nil, count: 1)
    }
    #expect(endless?.message.contains("redirects too often") == true)
  }

  @Test func `an unreachable board is a temporary fault`() throws {
    var board: CourseBoard? = try CourseBoard()
    let url = try #require(board?.url)
    board?.end()
    weak let gone = board
    board = nil
    try waitUntil("the port refuses connections") { gone == nil }
    let fault = #expect(throws: FeedFault.self) { try line(url).page(before: nil, count: 1) }
    #expect(fault?.isPassing == true)
    let post = #expect(throws: FeedFault.self) {
      try line(url).post(Draft(name: "", message: "a"))
    }
    #expect(post?.isPassing == true)
  }
}
