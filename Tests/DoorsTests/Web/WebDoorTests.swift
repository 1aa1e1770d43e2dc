import Control
import Doors
import Foundation
import OSC
import Posix
import TestSupport
import Testing

/// The web server, through sockets.
@Suite struct WebDoorTests {
  private static let page = ["Accept": "text/html,*/*;q=0.8"]

  private func osc(_ address: String, _ arguments: Argument...) -> [UInt8] {
    WebFrame.sent(2, [UInt8](address: address, arguments))
  }

  private static func texts(_ client: WebClient) -> [String] {
    client.takeFrames().filter { $0.code == 1 }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  private func packets(_ frames: [WebFrame]) -> [Received] {
    frames.filter { $0.code == 2 }.flatMap { $0.bytes.withUnsafeBytes(Received.all(in:)) }
  }

  // MARK: - HTTP

  @Test func `the same address is the page for a browser, and the tree for other clients`() throws {
    let rig = try WebRig()
    let page = try rig.get("/", Self.page)
    #expect(page.status == 200 && page.headers["content-type"]?.hasPrefix("text/html") == true)
    let policy = try #require(page.headers["content-security-policy"])
    #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
    let tree = try rig.get("/")
    #expect(tree.headers["content-type"] == "application/json")
    #expect(tree.text.hasPrefix(#"{"FULL_PATH":"/","CONTENTS":{"#))
    #expect(try rig.get("/?HOST_INFO", Self.page).text.hasPrefix(#"{"NAME":"rig""#))
    #expect(try rig.get("/?HOST_INFO=1").text.contains(#""OSC_PORT":8000"#))
    for answer in [page, tree] {
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(answer.headers["access-control-allow-origin"] == nil)
    }
  }

  @Test func `one connection serves many requests, and nothing is sent twice`() throws {
    let rig = try WebRig()
    let client = try rig.client()
    let first = try client.get("/", Self.page.merging(["Accept-Encoding": "gzip"]) { $1 })
    let tag = try #require(first.headers["etag"])
    #expect(first.headers["cache-control"] == "no-cache")
    let second = try client.get("/", Self.page.merging(["If-None-Match": tag]) { $1 })
    #expect(second.status == 304 && second.body.isEmpty && second.headers["etag"] == tag)
    #expect(try client.get("/mute?VALUE").text == #"{"VALUE":[0]}"#)
    #expect(try client.get("/page/nothing.js").status == 404)
    #expect(try client.get("/page/../../etc/passwd").status == 404)
    #expect(try client.get("/page/leaflet/../x").status == 404)
  }

  @Test func `a wrong request is answered with one line that says what is right`() throws {
    let rig = try WebRig()
    #expect(try rig.get("/nothing").status == 404)
    #expect(try rig.get("/mute?COLOUR").status == 204)
    #expect(try rig.client().ask("DELETE", "/mute").status == 405)
    #expect(try rig.client().ask("POST", "/", body: [1, 2]).status == 405)
    #expect(try rig.get("/files/takes/none/sound").status == 404)
    #expect(try rig.get("/", ["Host": "evil.example"]).status == 421)
    var upgrade = WebClient.upgrade
    upgrade["Sec-WebSocket-Version"] = "8"
    let old = try rig.get("/", upgrade)
    #expect(old.status == 426 && old.headers["sec-websocket-version"] == "13")
    upgrade = WebClient.upgrade
    upgrade["Sec-WebSocket-Key"] = "x"
    #expect(try rig.get("/", upgrade).status == 400)
    #expect(try rig.get("/elsewhere", WebClient.upgrade).status == 404)
    let line = try rig.get("/nothing").text
    #expect(line == #"{"error":"unknown address \"/nothing\"; / lists all"}"# + "\n")
  }

  // MARK: - WebSockets

  @Test func `OSC goes both ways over a WebSocket, until it closes`() throws {
    let rig = try WebRig()
    let socket = try rig.socket(["Origin": "http://127.0.0.1"])
    try socket.send(osc("/ping", .int32(7)))
    var answers: [Received] = []
    try socket.expect("a pong") {
      answers += packets($0.takeFrames())
      return !answers.isEmpty
    }
    #expect(answers[0].address == "/pong" && answers[0].arguments[0] == .int32(7))
    try socket.send(osc("/note/on", .int32(60), .float(0.8)))
    try waitUntil("the note sounds", every: 0) {
      rig.turn()
      return rig.isSounding
    }
    try socket.send(WebFrame.sent(8, [3, 0xE8]))
    try waitUntil("the note of the closed socket is over", every: 0) {
      rig.turn()
      return !rig.isSounding
    }
  }

  @Test func `a client that listens receives another one's changes until it ignores them`() throws {
    let rig = try WebRig()
    let (one, other) = (try rig.socket(), try rig.socket())
    try other.send(WebFrame.sent(1, Array(#"{"COMMAND":"LISTEN","DATA":"/mute"}"#.utf8)))
    try other.send(osc("/sync", .int32(1)))
    var told: [Received] = []
    func expect(_ what: String, _ isThere: ([Received]) -> Bool) throws {
      try other.expect(what) {
        told += packets($0.takeFrames())
        return isThere(told)
      }
    }
    try expect("it listens") { $0.contains { $0.address == "/synced" } }
    try one.send(osc("/mute", .int32(1)) + osc("/live/gain", .float(-3)))
    try expect("it is told") { $0.contains { $0.address == "/mute" } }
    try other.send(WebFrame.sent(1, Array(#"{"COMMAND":"IGNORE","DATA":"/mute"}"#.utf8)))
    try other.send(osc("/sync", .int32(2)))
    try expect("it is heard") { $0.contains { $0.arguments == [.int32(2)] } }
    try one.send(osc("/mute", .int32(0)) + osc("/sync", .int32(3)))
    try one.expect("it is in effect") {
      packets($0.takeFrames()).contains { $0.address == "/synced" }
    }
    try other.send(osc("/ping", .int32(9)))
    try expect("it is answered") { $0.contains { $0.address == "/pong" } }
    #expect(told.filter { $0.address == "/mute" }.map(\.arguments) == [[.int32(1)]])
    #expect(!told.contains { $0.address == "/live/gain" })
  }

  @Test func `added and removed addresses are reported`() throws {
    let rig = try WebRig()
    let socket = try rig.socket()
    try socket.send(osc("/grid/octaves", .int32(1)))
    var texts: [String] = []
    try socket.expect("buttons have gone") {
      texts += Self.texts($0)
      return !texts.isEmpty
    }
    #expect(texts.allSatisfy { $0.hasPrefix(#"{"COMMAND":"PATH_REMOVED","DATA":"/grid/"#) })
    texts = []
    try socket.send(osc("/grid/octaves", .int32(2)))
    try socket.expect("buttons have come") {
      texts += Self.texts($0)
      return texts.contains { $0.hasPrefix(#"{"COMMAND":"PATH_ADDED","DATA":"/grid/"#) }
    }
  }

  // MARK: - Access

  @Test func `without the token a network client can only read`() throws {
    let rig = try WebRig(isOpen: true)
    let token = try #require(rig.door.token?.text)
    #expect(try rig.get("/mute?VALUE").text == #"{"VALUE":[0]}"#)
    #expect(try rig.get("/", Self.page).status == 200)
    #expect(try rig.get("/files/takes/x/sound").status == 401)
    #expect(try rig.client().ask("POST", "/files/takes", body: [1]).status == 401)
    #expect(
      try rig.get("/files/takes/x/sound", ["Authorization": "Bearer \(token)"]).status == 404)
    let socket = try rig.socket()
    try socket.send(osc("/mute", .int32(1)))
    var answers: [Received] = []
    try socket.expect("it is refused") {
      answers += packets($0.takeFrames())
      return !answers.isEmpty
    }
    #expect(answers[0].address == "/error" && answers[0].arguments[1] == .string("denied"))
    #expect(try rig.value("/mute") == #"{"VALUE":[0]}"#)
    // It still receives changes.
    try socket.send(WebFrame.sent(1, Array(#"{"COMMAND":"LISTEN","DATA":"/mute"}"#.utf8)))
    try socket.send(WebFrame.sent(9, [1]))
    try socket.expect("it listens") { $0.takeFrames().contains { $0.code == 10 } }
    try rig.node.set("/mute=1")
    try socket.expect("it is told") {
      packets($0.takeFrames()).contains { $0.arguments == [.int32(1)] }
    }
  }

  @Test func `a token pairs, first or in the request; another token ends that`() throws {
    let rig = try WebRig(isOpen: true)
    let token = try #require(rig.door.token?.text)
    let (word, header) = (try rig.socket(), try rig.socket(["Authorization": "Bearer \(token)"]))
    #expect(
      try rig.get("/", WebClient.upgrade.merging(["Authorization": "Bearer no"]) { $1 }).status
        == 401)
    for text in ["", "wrong", token] {
      try word.send(WebFrame.sent(1, Array(#"{"COMMAND":"PAIR","DATA":"\#(text)"}"#.utf8)))
      var answer = ""
      try word.expect("an answer") {
        answer += $0.takeFrames().map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        return !answer.isEmpty
      }
      #expect(answer == #"{"COMMAND":"PAIRED","DATA":\#(text == token)}"#)
    }
    for socket in [word, header] {
      try socket.send(osc("/ping"))
      try socket.expect("a pong") {
        packets($0.takeFrames()).contains { $0.address == "/pong" }
      }
    }
    try rig.door.token?.renew()
    for socket in [word, header] { try socket.expect("it is shut out") { $0.hasEnded } }
  }

  @Test func `a socket that guesses tokens is shut out`() throws {
    let rig = try WebRig(isOpen: true)
    let socket = try rig.socket()
    for number in 0..<11 {
      try socket.send(WebFrame.sent(1, Array(#"{"COMMAND":"PAIR","DATA":"\#(number)"}"#.utf8)))
    }
    try socket.expect("it is shut out") { $0.hasEnded }
    let token = try #require(rig.door.token?.text)
    for (text, status) in [("wrong", 429), (token, 404)] {
      #expect(
        try rig.get("/files/takes/x/sound", ["Authorization": "Bearer \(text)"]).status == status)
    }
  }

  @Test func `a free node requires no token`() throws {
    let rig = try WebRig(isOpen: true) { $0.isFree = true }
    #expect(rig.door.token == nil)
    let socket = try rig.socket()
    try socket.send(osc("/ping"))
    try socket.expect("a pong") { packets($0.takeFrames()).contains { $0.address == "/pong" } }
  }

  @Test func `an allowed origin's page is accepted, and moves nothing as it opens`() throws {
    let site = "http://desk.example:3000"
    let rig = try WebRig { $0.origins = [site] }
    #expect(
      try rig.get("/", WebClient.upgrade.merging(["Origin": "http://x"]) { $1 }).status == 403)
    #expect(
      try rig.get("/mute", ["Origin": site]).headers["access-control-allow-origin"] == site)
    let socket = try rig.socket(["Origin": site])
    for gain in [-90, -60, -30] { try socket.send(osc("/live/gain", .int32(Int32(gain)))) }
    try socket.send(osc("/sync"))
    try socket.send(WebFrame.sent(9, [1]))
    try socket.expect("it is all read") { $0.takeFrames().contains { $0.code == 10 } }
    #expect(try rig.value("/live/gain") == #"{"VALUE":[0.0]}"#)
    try waitUntil("it is followed when it has been still") {
      try socket.send(osc("/mute", .int32(1)))
      let end = rig.seconds + 0.6
      while rig.seconds < end { rig.turn() }
      return try rig.value("/mute") == #"{"VALUE":[1]}"#
    }
  }

  // MARK: - Abuse

  @Test func `a protocol violation ends only its own socket`() throws {
    let rig = try WebRig()
    let good = try rig.socket()
    rig.attentive = good
    for bytes in [
      WebFrame.sent(2, [1, 2, 3], isMasked: false),
      WebFrame.sent(2, [UInt8](repeating: 0, count: 70_000)), [0xFF, 0xFF, 0xFF, 0xFF],
    ] {
      let socket = try rig.socket()
      try socket.send(bytes)
      try socket.expect("it is ended") { $0.hasEnded }
    }
    var random = SystemRandomNumberGenerator()
    let noise = (0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let socket = try rig.socket()
    try? socket.send(noise)
    try socket.expect("noise is ended") { $0.hasEnded }
    let raw = try rig.client()
    try? raw.send(noise)
    try raw.expect("noise is no request") { $0.hasEnded }
    try good.send(osc("/ping"))
    try good.expect("the others play on") {
      packets($0.takeFrames()).contains { $0.address == "/pong" }
    }
  }

  @Test func `a header of 200 kB is refused`() throws {
    let rig = try WebRig()
    let client = try rig.client()
    let header = "X: " + String(repeating: "a", count: 200_000)
    try? client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n\r\n")
    try client.expect("it is refused") { $0.hasEnded || !$0.received.isEmpty }
    #expect(String(decoding: client.received.prefix(12), as: UTF8.self) == "HTTP/1.1 431")
  }

  @Test func `a request that servers could read differently ends its connection`() throws {
    let rig = try WebRig()
    for head in [
      "POST /files/takes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
      "POST /files/takes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
      "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
      "GET / HTTP/1.1\nHost: localhost\n\n",
      "GET / HTTP/1.1\r\nHost: localhost\0evil\r\n\r\n",
      "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ] {
      let client = try rig.client()
      try client.send(head)
      #expect(try client.answer().status == 400, "\(head)")
      try client.expect("it is closed") { $0.hasEnded }
    }
  }

  @Test func `a client that sends too much is throttled, and loses nothing`() throws {
    let rig = try WebRig()
    let socket = try rig.socket()
    let count = 3000
    var flood: [UInt8] = []
    for number in 0..<count { flood += osc("/ping", .int32(Int32(number))) }
    let start = rig.seconds
    try socket.send(flood)
    var tokens: [Argument] = []
    try socket.expect("all is answered") {
      tokens += packets($0.takeFrames()).filter { $0.address == "/pong" }.map { $0.arguments[0] }
      return tokens.count == count
    }
    #expect(tokens == (0..<count).map { .int32(Int32($0)) })
    // Two thousand at once, and a thousand more in the following second.
    #expect(rig.seconds - start > 0.9)
  }

  @Test func `a client that does not read is dropped`() throws {
    let rig = try WebRig()
    let socket = try rig.socket(isNarrow: true)
    try socket.send(osc("/subscribe", .string("/meter")))
    let before = rig.node.counters.dropped
    // Replies that it never reads: 26 kB each.
    let questions = osc("/addresses")
    try waitUntil("it is let go", every: 0) {
      try? socket.send(questions)
      rig.turn()
      return rig.node.counters.dropped > before
    }
    try socket.expect("it has ended") { $0.hasEnded }
  }

  @Test func `a slow reader loses meters first, and receives the rest`() throws {
    let rig = try WebRig()
    let questions = osc("/addresses")
    // How many replies a client that reads nothing is sent before it is dropped.
    let victim = try rig.socket(isNarrow: true)
    let before = rig.node.counters.dropped
    var count = 0
    try waitUntil("it is let go", every: 0) {
      try? victim.send(questions)
      count += 1
      for _ in 0..<10 { rig.turn() }
      return rig.node.counters.dropped > before
    }
    // Three of them are some 80 kB: well behind, and well within the limit.
    let slow = try rig.socket(isNarrow: true)
    let quick = try rig.socket()
    for socket in [slow, quick] { try socket.send(osc("/subscribe", .string("/meter"))) }
    for _ in 0..<count - 3 {
      try slow.send(questions)
      for _ in 0..<10 { rig.turn() }
    }
    _ = quick.takeFrames()
    var meters = 0
    try quick.expect("ten meters are told to who reads") { quick in
      meters += packets(quick.takeFrames()).count { $0.address == "/meter" }
      return meters >= 10
    }
    slow.setReceiveBuffer(1 << 20)
    try slow.send(osc("/ping", .int32(7)))
    var told: [Received] = []
    try slow.expect("he is told what he asked for last") { slow in
      told += packets(slow.takeFrames())
      return told.contains { $0.address == "/pong" }
    }
    let lastAnswer = told.lastIndex { $0.address == "/address" } ?? 0
    let missed = told[lastAnswer...].prefix { $0.address != "/pong" }
    #expect(missed.count { $0.address == "/meter" } <= 1)
    try slow.expect("meters are told again") { slow in
      packets(slow.takeFrames()).contains { $0.address == "/meter" }
    }
    #expect(rig.node.counters.dropped == before + 1)
  }

  // MARK: - Files

  @Test func `an uploaded sound becomes a take, and is downloaded in full or in part`() throws {
    let rig = try WebRig()
    let file = rig.folder.path("sent.wav")
    try SoundFixture.write(file, [Array(repeating: 0.25, count: 24_000)])
    let sound = [UInt8](try Data(contentsOf: URL(filePath: file)))
    let answer = try rig.client().ask(
      "POST", "/files/takes?name=dawn%20chorus.wav", body: sound)
    #expect(answer.status == 200 && answer.text.contains(#""title":"dawn chorus""#))
    let id = try #require(answer.text.firstMatch(of: /"id":"([0-9a-f-]+)"/)?.1)
    let whole = try rig.get("/files/takes/\(id)/sound")
    #expect(whole.status == 200 && whole.body.starts(with: Array("RIFF".utf8)))
    let part = try rig.get("/files/takes/\(id)/sound", ["Range": "bytes=4-7"])
    #expect(part.status == 206 && part.body == Array(whole.body[4..<8]))
    #expect(part.headers["content-range"] == "bytes 4-7/\(whole.body.count)")
    #expect(
      try rig.get("/files/takes/\(id)/sound", ["Range": "bytes=999999999-"]).status == 416)
    let flac = try rig.get("/files/takes/\(id)/export?format=flac")
    #expect(flac.body.starts(with: Array("fLaC".utf8)))
    #expect(
      flac.headers["content-disposition"] == "attachment; filename*=UTF-8''dawn%20chorus.flac")
    #expect(try rig.get("/files/takes/\(id)/export?format=exe").status == 400)
    // A list requests a thumbnail of each, whether there is one or not.
    #expect(try rig.get("/files/takes/\(id)/small").status == 204)
    #expect(try rig.get("/files/takes/\(id)/image").status == 404)
    let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
    #expect(
      try rig.client().ask("POST", "/files/takes/\(id)/image?name=wren.png", body: picture).status
        == 200)
    let image = try rig.get("/files/takes/\(id)/image")
    #expect(image.body == picture && image.headers["content-type"] == "image/png")
    #expect(image.headers["content-security-policy"]?.contains("sandbox") == true)
    #expect(try rig.get("/files/takes/\(id)/small").body == picture)
    #expect(try rig.incoming.isEmpty)
  }

  @Test func `a file without sound is refused, and leaves nothing behind`() throws {
    let rig = try WebRig()
    let answer = try rig.client().ask("POST", "/files/takes?name=../../a.wav", body: [1, 2, 3])
    #expect(answer.status == 422 && answer.text.contains("a.wav is not a readable sound file"))
    #expect(!answer.text.contains(rig.folder.url.path))
    #expect(try rig.incoming.isEmpty)
    let large = try rig.client()
    try large.send("POST /files/takes?name=a.wav HTTP/1.1\r\nHost: localhost\r\n")
    try large.send("Content-Length: 99999999999\r\n\r\n")
    #expect(try large.answer().status == 413)
  }
}
