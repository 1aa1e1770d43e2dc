import Foundation
import HTTP
import Posix
import TestSupport
import Testing

@testable import Feed

/// Remote boards from their clients' view.
@Suite struct RemoteBoardTests {
  /// A client whose requests don't time out on a busy machine.
  private func line(_ url: String, listSoundBytes: Int? = nil) throws -> RemoteBoard {
    var limits = RemoteBoard.Limits()
    if let listSoundBytes { limits.listSoundBytes = listSoundBytes }
    limits.seconds = 600
    return RemoteBoard(try #require(HTTPPlace(url)), userAgent: "Test/1", limits: limits)
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

  @Test(arguments: [
    CourseBoard.Manner(list: "[" + String(repeating: "[],", count: 300_000) + "[]]"),
    CourseBoard.Manner(list: "[" + String(repeating: "[", count: 300_000)),
    CourseBoard.Manner(list: "[[\"" + String(repeating: "A", count: 25 << 20)),
    CourseBoard.Manner(list: "<h1>Welcome</h1>"), CourseBoard.Manner(list: #"{"error": "no"}"#),
  ])
  func `a reply that is no list of posts is reported in one line`(manner: CourseBoard.Manner)
    throws
  {
    let board = try CourseBoard(manner)
    defer { board.end() }
    let fault = #expect(throws: FeedFault.self) {
      try line(board.url).page(before: nil, count: 1)
    }
    #expect(
      fault
        == FeedFault(
          "\(board.url) is not a feed server: its reply is not a list of posts", isPassing: false))
  }

  @Test func `a page with too many values is reported in one line`() throws {
    let values = String(repeating: "0,", count: 30_000)
    let board = try CourseBoard(CourseBoard.Manner(page: "{\"posts\":[\(values)0],\"newest\":1}"))
    defer { board.end() }
    let fault = #expect(throws: FeedFault.self) {
      try line(board.url).page(before: nil, count: 1)
    }
    #expect(
      fault?.message
        == "\(board.url) is not a feed server: its page of posts has more than 20000 values")
  }

  @Test func `a page is cut to the posts that were requested, and their texts to usual lengths`()
    throws
  {
    let long = String(repeating: "é", count: 10_000)
    let posts = (1...9).map {
      #"{"number":\#($0),"id":"\#($0)","name":"\#(long)","message":"\#(long)","time":"2026-11-22T10:00:00Z"}"#
    }
    let board = try CourseBoard(
      CourseBoard.Manner(page: "{\"posts\":[\(posts.joined(separator: ","))],\"newest\":9}"))
    defer { board.end() }
    let page = try line(board.url).page(before: nil, count: 2)
    #expect(page.posts.map(\.number) == [1, 2] && page.newest == 9)
    #expect(page.posts[0].message == String(long.prefix(4096)))
    #expect(page.posts[0].name == String(long.prefix(200)))
  }

  @Test func `sounds that don't stay in memory are received again`() throws {
    let board = try CourseBoard()
    defer { board.end() }
    // Two of the three sounds: each has 8 kB of Base64.
    let line = try line(board.url, listSoundBytes: 20_000)
    let sounds = (1...3).map { SoundBytes.wave(frames: 3000 + $0) }
    for (index, sound) in sounds.enumerated() {
      try line.post(Draft(name: "", message: "\(index)", audio: sound))
    }
    let posts = try line.page(before: nil, count: 9).posts
    #expect(posts.map(\.message) == ["2", "1", "0"])
    #expect(posts.allSatisfy { $0.sound?.kind == .wav })
    for (post, sound) in zip(posts, sounds.reversed()) {
      #expect(try line.sound(of: post) == sound)
    }
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
