import Foundation
import HTTP
import Posix
import SQLite
import TestSupport
import Testing

@testable import Feed

/// A board in a file on a disk that is full.
@Suite struct FullBoardTests {
  private static let soundBytes = 900_000

  private let disk: SmallDisk?
  private var path: String { "\(disk?.path ?? "")/board/board.sqlite" }

  init() throws { disk = try SmallDisk(megabytes: 32) }

  /// Random bytes: a disk may compress others.
  private func sound(_ count: Int = soundBytes) throws -> [UInt8] {
    let source = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
    return try [UInt8](#require(try source.read(upToCount: count)))
  }

  private func post(_ draft: Draft, _ store: SQLiteStore) throws {
    let sound = draft.audio.map { Post.Sound(seconds: 1, bytes: $0.count, kind: .wav) }
    _ = try store.post(Posting(draft, showsSecret: true, sound: sound, date: .now))
  }

  /// Posts sounds until the disk refuses one; returns those that were stored.
  private func fill(_ store: SQLiteStore) throws -> [Draft] {
    var drafts: [Draft] = []
    let fault = #expect(throws: BoardFault.self) {
      while drafts.count < 100 {
        let draft = Draft(name: "Ada", message: "\(drafts.count)", audio: try sound())
        try post(draft, store)
        drafts.append(draft)
      }
    }
    #expect(fault?.isDiskFull == true && fault?.kind == .store)
    #expect(fault?.message == "can't write \(path): No space left on device")
    #expect(drafts.count > 5)
    return drafts
  }

  private func size(_ ending: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path + ending)[.size] as? Int ?? 0
  }

  /// Checks that all posts are stored with their sounds.
  private func expect(_ drafts: [Draft], in store: SQLiteStore) throws {
    let page = try store.page(before: nil, after: nil, limit: 200)
    #expect(page.posts.map(\.id) == drafts.map(\.id).reversed())
    for draft in drafts {
      #expect(try store.sound(of: .id(draft.id))?.bytes == draft.audio)
    }
  }

  @Test func `posts leave space for others, and the log stays small`() throws {
    guard let disk else { return }
    let store = try SQLiteStore(path: path)
    let drafts = try fill(store)
    try disk.fill(leaving: 1 << 20)
    #expect(try size("-wal") <= 4 << 20)
    #expect(try size("-reserve") == 4 << 20)
    try expect(drafts, in: store)
  }

  @Test func `posts are deleted from a full disk, which gets their space back`() throws {
    guard let disk else { return }
    let store = try SQLiteStore(path: path)
    var drafts = try fill(store)
    try disk.fill()
    let before = try size("")
    // By their authors, and by the operator.
    let first = drafts.removeFirst()
    try store.delete(first.id, secret: SHA256.digest(Array(first.secret.utf8)))
    let second = drafts.remove(at: 1)
    #expect(try store.delete([second.id]) == [second.id])
    try expect(drafts, in: store)
    try waitUntil("the file is smaller") { try size("") <= before - Self.soundBytes }
    store.close()
    let again = try SQLiteStore(path: path)
    try expect(drafts, in: again)
    let file = try BoardFile(board: path)
    #expect(try file.rows("PRAGMA integrity_check") { $0.text(0) } == ["ok"])
    #expect(try again.delete(allOf: "Ada") == drafts.count)
    try expect([], in: again)
  }

  @Test func `another process deletes posts from a full disk, also without a server`() throws {
    guard let disk else { return }
    var store: SQLiteStore? = try SQLiteStore(path: path)
    var drafts = try fill(#require(store))
    try disk.fill()
    let other = try SQLiteStore(path: path)
    #expect(try other.delete([drafts[0].id]) == [drafts[0].id])
    other.close()
    drafts.removeFirst()
    try expect(drafts, in: #require(store))
    store?.close()
    store = nil
    try FileManager.default.removeItem(atPath: "\(disk.path)/filler")
    try disk.fill()
    // The first to open it has to create the files that its users share.
    let last = try SQLiteStore(path: path)
    #expect(try last.delete([drafts[0].id]) == [drafts[0].id])
    try expect(Array(drafts.dropFirst()), in: last)
  }

  @Test func `the board takes posts again when the disk has space`() throws {
    guard let disk else { return }
    let store = try SQLiteStore(path: path)
    var drafts = try fill(store)
    try disk.fill()
    let text = Draft(name: "", message: "text")
    #expect(throws: BoardFault.self) { try post(text, store) }
    #expect(try store.delete([drafts[0].id]).count == 1)
    drafts.removeFirst()
    try disk.empty()
    try post(text, store)
    drafts.append(text)
    try expect(drafts, in: store)
    #expect(try size("-reserve") == 4 << 20)
  }
}
