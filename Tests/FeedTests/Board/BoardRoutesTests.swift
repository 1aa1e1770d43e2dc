import Foundation
import HTTP
import JSON
import SQLite
import TestSupport
import Testing

@testable import Feed

/// The board over TCP.
@Suite struct BoardRoutesTests {
  private static let clip = Base64.text(of: SoundBytes.wave())

  private func post(
    _ rig: BoardRig, name: String = "a", message: String = "m", audio: String? = nil
  ) throws -> Draft {
    let draft = Draft(name: name, message: message, audio: audio.flatMap(Base64.bytes(of:)))
    let answer = try rig.post(draft.json)
    try #require(answer.status == 200, "\(answer.text)")
    return draft
  }

  // MARK: - The original protocol

  @Test(arguments: StoreKind.allCases)
  func `rows have the format that existing apps read, newest first`(_ kind: StoreKind) throws {
    guard let rig = try BoardRig(kind) else { return }
    #expect(try rig.get("/getaudio/").text == #"{"chatts":[]}"#)
    let bodies = [
      #"{"username":"u","message":"one","audio":null}"#, #"{"name":"n","message":"two"}"#,
      #"{"username":"u","message":"three","audio":""}"#,
      #"{"username":"u","message":"four","audio":"null"}"#,
      #"{"username":"<b>u</b>","message":"</script>","audio":"\#(Self.clip)"}"#,
    ]
    for (index, body) in bodies.enumerated() {
      // With and without a trailing slash: a redirect would lose the body.
      let answer = try rig.ask(
        "POST", index % 2 == 0 ? "/postaudio/" : "/postaudio", body: Array(body.utf8))
      #expect(answer.status == 200 && answer.headers["location"] == nil)
    }
    for path in ["/getaudio/", "/getaudio"] {
      let answer = try rig.get(path)
      #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(answer.headers["access-control-allow-origin"] == nil)
      let rows = try #require(BoardList.rows(in: answer.body))
      #expect(rows.map(\.name) == ["<b>u</b>", "u", "u", "n", "u"])
      #expect(rows.map(\.message) == ["</script>", "four", "three", "two", "one"])
      #expect(rows.map(\.audio) == [Self.clip, nil, nil, nil, nil])
      #expect(rows.allSatisfy { PostID.plain($0.id) != nil && $0.date != nil })
    }
  }

  @Test func `a list of rows is limited by the size of its sounds`() throws {
    let rig = try #require(try BoardRig { $0.soundBytes = 6000 })
    for _ in 0..<4 { _ = try post(rig, audio: Self.clip) }
    #expect(BoardList.rows(in: try rig.get("/getaudio").body)?.count == 2)
    for number in 0..<60 { _ = try post(rig, message: "\(number)") }
    let rows = try #require(BoardList.rows(in: rig.get("/getaudio").body))
    #expect(rows.count == 50 && rows[0].message == "59")
    let next = try rig.get("/getaudio?before=\(rows[49].id)&limit=3")
    #expect(BoardList.rows(in: next.body)?.map(\.message) == ["9", "8", "7"])
    #expect(try rig.get("/getaudio?before=\(PostID.random())").status == 404)
  }

  // MARK: - The protocol of Syrinx

  @Test(arguments: StoreKind.allCases)
  func `a page of posts can be parsed by our client`(_ kind: StoreKind) throws {
    guard let rig = try BoardRig(kind) else { return }
    let drafts = try (1...5).map { number in
      try post(rig, message: "\(number)", audio: number == 3 ? Self.clip : nil)
    }
    let page = try #require(PostPage(try rig.get("/posts").json))
    #expect(page.newest == 5 && page.posts.map(\.id) == drafts.map(\.id).reversed())
    #expect(page.posts[2].sound == Post.Sound(seconds: 0.1, bytes: 2444, kind: .wav))
    #expect(PostPage(try rig.get("/posts?before=4&limit=2").json)?.posts.map(\.number) == [3, 2])
    #expect(PostPage(try rig.get("/posts/?after=3").json)?.posts.map(\.number) == [5, 4])
    #expect(PostPage(try rig.get("/posts?limit=0").json)?.posts.count == 1)
    for query in ["before=-1", "before=x", "limit=1e3", "after=99999999999"] {
      #expect(try rig.get("/posts?\(query)").status == 400)
    }
  }

  @Test func `a sound is downloaded separately, and by ranges`() throws {
    let rig = try #require(try BoardRig())
    let bytes = SoundBytes.wave(frames: 400_000)
    let draft = try post(rig, audio: Base64.text(of: bytes))
    for key in [draft.id, draft.id.uppercased(), "1"] {
      let answer = try rig.get("/audio/\(key)")
      #expect(answer.status == 200 && answer.body == bytes)
      #expect(answer.headers["content-type"] == "audio/wav")
      #expect(answer.headers["content-security-policy"]?.contains("sandbox") == true)
      #expect(answer.headers["x-content-type-options"] == "nosniff")
    }
    let part = try rig.get("/audio/1", ["Range": "bytes=10-19"])
    #expect(part.status == 206 && part.body == Array(bytes[10..<20]))
    #expect(part.headers["content-range"] == "bytes 10-19/\(bytes.count)")
    let rest = try rig.get("/audio/1", ["Range": "bytes=100-"])
    #expect(rest.status == 206 && rest.body == Array(bytes[100...]))
    #expect(try rig.get("/audio/1", ["Range": "bytes=\(bytes.count)-"]).status == 416)
    let head = try rig.ask("HEAD", "/audio/1")
    #expect(head.status == 200 && head.body.isEmpty)
    #expect(head.headers["content-length"] == "\(bytes.count)")
    for key in ["2", "0", "x", "99999999999", PostID.random(), ".."] {
      #expect(try rig.get("/audio/\(key)").status == 404)
    }
  }

  @Test func `the poster receives the secret, and readers of the post do not`() throws {
    let rig = try #require(try BoardRig())
    let first = try rig.post(#"{"name":"a","message":"m","id":"\#(Self.id)"}"#)
    let secret = try #require(try first.json["secret"]?.text)
    #expect(try first.json["id"]?.text == Self.id && first.json["number"]?.whole == 1)
    let again = try rig.post(#"{"name":"a","message":"m","id":"\#(Self.id)"}"#)
    #expect(try again.status == 200 && again.json["secret"] == nil)
    #expect(try again.json["number"]?.whole == 1)
    let shown = try rig.post(
      #"{"name":"a","message":"m","id":"\#(Self.id)","secret":"\#(secret)"}"#)
    #expect(try shown.json["secret"]?.text == secret)
    #expect(try rig.post(#"{"name":"b","message":"m","id":"\#(Self.id)"}"#).status == 409)
    #expect(!(try rig.get("/posts").text.contains(secret)))
    #expect(!(try rig.get("/getaudio").text.contains(secret)))
  }

  private static let id = "0c5a7c2e-9f5c-4b8e-8a55-0d7a3f1e2b4c"

  @Test(arguments: StoreKind.allCases)
  func `only the secret permits deleting a post or its name`(_ kind: StoreKind) throws {
    guard let rig = try BoardRig(kind) else { return }
    let (one, two) = (try post(rig, audio: Self.clip), try post(rig, name: "b"))
    func delete(_ path: String, _ secret: String?) throws -> Int {
      try rig.ask("DELETE", path, secret.map { ["Authorization": "Bearer \($0)"] } ?? [:]).status
    }
    #expect(try delete("/posts/\(one.id)", nil) == 401)
    #expect(try delete("/posts/\(one.id)", two.secret) == 403)
    #expect(try delete("/posts/\(PostID.random())", one.secret) == 404)
    #expect(try delete("/posts/\(one.id)/name", one.secret) == 200)
    #expect(PostPage(try rig.get("/posts").json)?.posts.map(\.name) == ["b", ""])
    #expect(try delete("/posts/\(one.id)", one.secret) == 200)
    #expect(try delete("/posts/\(one.id)/", one.secret) == 200)
    #expect(try rig.get("/audio/\(one.id)").status == 404)
    #expect(PostPage(try rig.get("/posts").json)?.posts.map(\.id) == [two.id])
    #expect(try rig.post(one.json).status == 409)
  }

  @Test func `guesses of a post's secret are slowed, and other posts are not`() throws {
    let rig = try #require(try BoardRig())
    let (one, two) = (try post(rig), try post(rig, name: "b"))
    func delete(_ id: String, _ secret: String) throws -> RawAnswer {
      try rig.ask("DELETE", "/posts/\(id)", ["Authorization": "Bearer \(secret)"])
    }
    let statuses = try (0..<20).map { try delete(one.id, "guess-number-\(1000 + $0)").status }
    #expect(statuses.prefix(10).allSatisfy { $0 == 403 })
    // One more may be checked in between, on a slow machine.
    #expect(statuses.suffix(10).count { $0 == 429 } >= 9)
    let refused = try delete(one.id, one.secret)
    if refused.status == 429 {
      #expect(Int(refused.headers["retry-after"] ?? "").map { 1...6 ~= $0 } == true)
    }
    // A repeated post could guess it, too.
    var guess = one
    guess.secret = "guess-number-2000"
    #expect([409, 429].contains(try rig.post(guess.json).status))
    #expect(try delete(two.id, two.secret).status == 200)
  }

  // MARK: - Limits

  @Test func `overlong texts and malformed posts are rejected`() throws {
    let rig = try #require(try BoardRig())
    func status(_ body: String) throws -> Int { try rig.post(body).status }
    let (name, message) = (String(repeating: "ä", count: 64), String(repeating: "🐦", count: 4096))
    #expect(try status(#"{"name":"\#(name)","message":"\#(message)"}"#) == 200)
    #expect(try status(#"{"name":"\#(name)x","message":"m"}"#) == 413)
    #expect(try status(#"{"name":"n","message":"\#(message)x"}"#) == 413)
    for body in [
      "", "x", "[]", "null", "{", "{}", #"{"name":"n"}"#, #"{"message":5}"#,
      #"{"message":"m","id":"5"}"#, #"{"message":"m","secret":"short"}"#,
      #"{"message":"m","audio":"%%%"}"#, #"{"message":"m","audio":7}"#, #"{"message":"\u0000"}"#,
      #"{"message":"\ud800"}"#, #"{"message":"m","message":"n"}"#,
      String(repeating: "[", count: 100_000), "\u{FEFF}",
    ] {
      let answer = try rig.post(body)
      #expect(answer.status == 400, "\(body.prefix(50))")
      #expect(try answer.json["error"]?.text?.isEmpty == false)
    }
    #expect(try rig.ask("POST", "/postaudio", body: [0xFF, 0xFE, 0]).status == 400)
    #expect(PostPage(try rig.get("/posts").json)?.posts.count == 1)
    // Deleted after the response.
    try waitUntil("its temporary files are deleted") { rig.scratch.isEmpty }
  }

  @Test func `a sound is rejected by its content`() throws {
    let rig = try #require(try BoardRig())
    for bytes in [
      SoundBytes.pretending(Array("RIFF\u{10}\u{0}\u{0}\u{0}WAVE".utf8)), Array("<svg/>".utf8),
    ] {
      let answer = try rig.post(#"{"message":"m","audio":"\#(Base64.text(of: bytes))"}"#)
      #expect(answer.status == 415 && !answer.text.contains(rig.folder.url.path))
    }
    let wrapped = Self.clip.prefix(76) + "\\r\\n" + Self.clip.dropFirst(76)
    #expect(try rig.post(#"{"message":"","audio":"\#(wrapped)"}"#).status == 200)
    // Deleted after the response.
    try waitUntil("its temporary files are deleted") { rig.scratch.isEmpty }
  }

  @Test func `an oversized body is rejected, with or without a declared length`() throws {
    let rig = try #require(try BoardRig { $0.bodyBytes = 1 << 20 })
    let body = [UInt8](repeating: UInt8(ascii: " "), count: 2 << 20)
    let said = try RawAnswer.to(
      Array(
        "POST /postaudio HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2097152\r\n\r\n".utf8),
      port: rig.port)
    #expect(said.status == 413)
    let chunks = Array("200000\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
    let unsaid = try rig.ask(
      "POST", "/postaudio", ["Transfer-Encoding": "chunked"], body: chunks)
    #expect(unsaid.status == 413)
    // Deleted after the response.
    try waitUntil("its temporary files are deleted") { rig.scratch.isEmpty }
    #expect(try rig.get("/posts").status == 200)
  }

  @Test func `posts are limited per address and minute, and reads are not`() throws {
    let rig = try #require(try BoardRig { $0.postsAMinute = 3 })
    let statuses = try (0..<5).map { try rig.post(#"{"message":"\#($0)"}"#).status }
    #expect(statuses == [200, 200, 200, 429, 429])
    #expect(try rig.post(#"{"message":"m"}"#).headers["retry-after"] == "60")
    for _ in 0..<10 { #expect(try rig.get("/posts").status == 200) }
  }

  @Test func `only same-origin pages and clients without an origin may post`() throws {
    let rig = try #require(try BoardRig())
    let body = #"{"message":"m"}"#
    #expect(try rig.get("/posts", ["Host": "evil.example"]).status == 421)
    #expect(try rig.get("/posts", ["Host": "board.example:99"]).status == 200)
    for (host, origin, status) in [
      ("127.0.0.1", "http://127.0.0.1", 200), ("127.0.0.1", "http://evil.example", 403),
      ("127.0.0.1", "null", 403), ("board.example", "https://board.example", 200),
      ("evil.example", "http://evil.example", 421),
    ] {
      #expect(try rig.post(body, ["Host": host, "Origin": origin]).status == status)
    }
    let other = try rig.ask("DELETE", "/posts/\(Self.id)", ["Origin": "http://evil.example"])
    #expect(other.status == 403)
  }

  @Test func `a request that servers could read differently ends its connection`() throws {
    let rig = try #require(try BoardRig())
    for head in [
      "POST /postaudio HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
      "POST /postaudio HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
      "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
      "GET / HTTP/1.1\nHost: localhost\n\n",
      "GET / HTTP/1.1\r\nHost: localhost\0evil\r\n\r\n",
      "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ] {
      // Read until the board closes.
      #expect(try RawAnswer.to(Array(head.utf8), port: rig.port).status == 400, "\(head)")
    }
    #expect(PostPage(try rig.get("/posts").json)?.posts.isEmpty == true)
  }

  @Test func `invalid requests are reported in one line`() throws {
    let rig = try #require(try BoardRig())
    for (method, path, allowed) in [
      ("POST", "/getaudio", "GET, HEAD"), ("GET", "/postaudio/", "POST"),
      ("PUT", "/postaudio", "POST"), ("DELETE", "/posts", "GET, HEAD"),
      ("GET", "/posts/\(Self.id)", "DELETE"), ("POST", "/audio/1", "GET, HEAD"),
    ] {
      let answer = try rig.ask(method, path, body: method == "GET" ? nil : [])
      #expect(answer.status == 405 && answer.headers["allow"] == allowed, "\(method) \(path)")
    }
    for path in ["/", "/nothing", "/getaudio/x", "/posts/1/2/3", "/audio", "/../board.sqlite"] {
      let answer = try rig.get(path)
      #expect(answer.status == 404)
      #expect(try answer.json["error"]?.text?.isEmpty == false)
    }
  }

  @Test func `a stalled database blocks nothing else, and its queue is limited`()
    throws
  {
    let store = StuckStore()
    let rig = try BoardRig(store, in: TemporaryFolder()) { $0.waitingRequests = 4 }
    let statuses = Collected<Int>()
    let group = DispatchGroup()
    func ask(_ count: Int) {
      for _ in 0..<count {
        group.enter()
        Foundation.Thread.detachNewThread {
          if let answer = try? rig.get("/posts") { statuses.add(answer.status) }
          group.leave()
        }
      }
    }
    for count in 1...4 {
      ask(4)
      try waitUntil("all requests have reached the store") { store.calls.all.count == count * 4 }
    }
    // These four are queued.
    ask(8)
    try waitUntil("the rest is rejected") { statuses.all.count == 4 }
    #expect(statuses.all == [503, 503, 503, 503])
    // The server itself stays responsive.
    #expect(try rig.get("/nothing").status == 404)
    #expect(try rig.get("/posts").headers["retry-after"] == "1")
    store.free()
    group.wait()
    #expect(statuses.all.filter { $0 == 200 }.count == 20)
  }

  @Test func `a body with too many values is rejected in one line`() throws {
    let rig = try #require(try BoardRig())
    let answer = try rig.post("[" + String(repeating: "0,", count: 100_000) + "0]")
    #expect(answer.status == 413)
    #expect(try answer.json["error"]?.text == "a post has at most 1000 JSON values")
    #expect(try rig.post(#"{"message": "m", "other": [1, 2, {"a": null}]}"#).status == 200)
  }

  @Test func `details of database faults are not sent to clients`() throws {
    let rig = try #require(try BoardRig())
    let file = rig.folder.path("board.sqlite")
    let other = try BoardFile(file)
    try other.execute("DROP TABLE sounds; ALTER TABLE posts RENAME TO gone")
    for answer in [
      try rig.get("/posts"), try rig.get("/getaudio"), try rig.post(#"{"message":"m"}"#),
    ] {
      #expect(answer.status == 503)
      #expect(!answer.text.contains(rig.folder.url.path) && !answer.text.contains("SQL"))
    }
  }

  @Test func `pending requests are answered during shutdown`() throws {
    let rig = try #require(try BoardRig())
    let drafts = (0..<20).map { Draft(name: "a", message: "\($0)", audio: SoundBytes.wave()) }
    let answered = Collected<String>()
    let group = DispatchGroup()
    for draft in drafts {
      DispatchQueue.global().async(group: group) {
        if let answer = try? rig.post(draft.json), answer.status == 200 { answered.add(draft.id) }
      }
    }
    try waitUntil("some have a response") { answered.all.count > 3 }
    rig.end()
    group.wait()
    let store = try SQLiteStore(path: rig.folder.path("board.sqlite"))
    let there = Set(try store.page(before: nil, after: nil, limit: 100).posts.map(\.id))
    #expect(there.isSuperset(of: answered.all))
  }
}
