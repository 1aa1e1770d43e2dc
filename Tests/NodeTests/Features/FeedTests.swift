import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// The feed of running nodes: their own boards, and a shared one.
  @Suite struct FeedTests {
    private static let tone: @Sendable (UInt32) -> Float = { frame in
      Float(0.3 * sin(2 * .pi * 400 * Double(frame % 4_800_000) / 48_000))
    }

    /// Sends a long-running command, and returns the contents of `/reply`, or the error line.
    private func ask(
      _ phone: Phone, _ address: String, _ arguments: Argument...
    ) -> (done: [String]?, fault: String) {
      phone.send(bytes: [UInt8](address: address, arguments))
      while let message = phone.receive(untilOneOf: ["/reply", "/error"]).last {
        guard message.arguments.first?.text == address else { continue }
        let words = message.arguments.dropFirst().compactMap(\.text)
        return message.address == "/reply" ? (words, "") : (nil, words.joined(separator: " "))
      }
      return (nil, "nothing")
    }

    /// A node's list of posts, newest first: name, message and seconds.
    private func posts(
      _ phone: Phone, _ arguments: Argument...
    ) -> [(number: Int32, name: String, message: String, seconds: Double)] {
      phone.send(bytes: [UInt8](address: "/feed", arguments))
      return phone.receive(untilOneOf: ["/feed/end", "/error"])
        .filter { $0.address == "/post" }.compactMap { post in
          guard case .int32(let number) = post.arguments[0] else { return nil }
          return (
            number, post.arguments[1].text ?? "", post.arguments[3].text ?? "",
            post.arguments[4].number ?? .nan
          )
        }
    }

    private func isTone(_ heard: [Float]) -> Bool {
      // Its period is 120 frames, and no other pitch is louder.
      Measure.peak(heard) > 0.2 && Measure.aperiodicity(heard, period: 120) < -60
    }

    /// The port of a URL.
    private func port(of url: String) -> Int? { URL(string: url)?.port }

    private func json(_ text: String) throws -> [String: Any] {
      try #require(
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    /// Two boards on one PostgreSQL database; nil, with a known issue, if it is not installed.
    private func twoBoards() throws -> [BoardProcess]? {
      switch PostgresServer.shared {
      case .success(let server):
        let database = try server.database()
        return [try BoardProcess(database: database), try BoardProcess(database: database)]
      case .failure(let fault):
        withKnownIssue("PostgreSQL is not available here") { throw fault }
        return nil
      }
    }

    @Test(.hangLimit, arguments: [false, true])
    func `a post with a clip plays at another node's port`(throughPostgres: Bool) throws {
      let server = try JackServer()
      let folder = try TemporaryFolder()
      let boards =
        throughPostgres
        ? try twoBoards() : [try BoardProcess(database: folder.path("board.sqlite"))]
      guard let near = boards?.first, let far = boards?.last else { return }
      let (first, singer) = try startNode(
        on: server, ["-n", "ada", "--set", "/feed/board=\(near.url)"])
      let (second, hearer) = try startNode(
        on: server, ["-n", "bob", "--set", "/feed/board=\(far.url)"])
      hearer.send("/subscribe", .string("/post"))
      #expect(hearer.sync())
      // New are posts after the node's first look at the board, which is queued at the latest when the first
      // list has arrived, and done before the second.
      for _ in 1...2 {
        hearer.send("/feed")
        #expect(hearer.receive(untilOneOf: ["/feed/end"]).last?.address == "/feed/end")
      }
      singer.send("/feed/name", .string("Ada"))
      // From a file, whose length is known.
      try SoundFixture.write(
        "\(first.home)/tone.wav", [(0..<96_000).map { Self.tone(UInt32($0)) }])
      let take = try #require(ask(singer, "/take/import", .string("tone.wav")).done?.first)
      #expect(ask(singer, "/take/load", .string(take)).done != nil)
      let posted = ask(singer, "/feed/post/clip", .string("listen <b>here</b>"))
      #expect(posted.done?.count == 1, "\(posted)")
      let told = try #require(hearer.receive("/post"))
      #expect(told.arguments[1...].compactMap(\.text).first == "Ada")
      #expect(told.arguments[3] == .string("listen <b>here</b>"))
      #expect(told.arguments[4] == .float(2))
      let ear = try Probe(server: server.name)
      try ear.connect(to: "bob")
      let played = ask(hearer, "/feed/play", told.arguments[0])
      #expect(played.done?.last == "listen <b>here</b>", "\(played)")
      try ear.awaitBlock("the post's sound plays") { Measure.peak($0) > 0.2 }
      let heard = try ear.unbroken(seconds: 0.2)
      #expect(isTone(heard))
      // The player treats it like a take, and done closes it.
      #expect(hearer.ask("/player/state")?.arguments[1] == .string("play"))
      hearer.send("/player/done")
      try waitUntil("the player is closed") {
        hearer.ask("/player/state")?.arguments[1] == .string("standby")
      }
      let kept = ask(hearer, "/feed/keep", told.arguments[0])
      #expect(kept.done?.last == "listen <b>here</b>", "\(kept)")
      // Only its author can delete it.
      #expect(ask(hearer, "/feed/delete", told.arguments[0]).fault.hasPrefix("denied"))
      #expect(ask(singer, "/feed/delete", told.arguments[0]).done != nil)
      #expect(posts(hearer).isEmpty)
      ear.close()
      #expect(first.end() == 0 && second.end() == 0)
    }

    @Test(.hangLimit)
    func `a program that knows only the two paths reads and posts`() throws {
      let server = try JackServer()
      let (node, phone) = try startNode(on: server, hasPage: true)
      let own = "http://127.0.0.1:\(node.webPort)/board"
      #expect(ask(phone, "/feed/post", .string("from the node")).done != nil)
      try waitUntil("the node's own board has the post") { posts(phone).count == 1 }
      let folder = try TemporaryFolder()
      let file = folder.path("clip.wav")
      try SoundFixture.write(file, [(0..<96_000).map { Self.tone(UInt32($0)) }])
      let sound = try Data(contentsOf: URL(filePath: file)).base64EncodedString()
      let body = folder.path("body.json")
      try #"{"username":"phone","message":"by curl","audio":"\#(sound)"}"#.write(
        toFile: body, atomically: false, encoding: .utf8)
      for path in ["postaudio", "postaudio/"] {
        let answer = try json(
          Curl.ask(
            "--header", "Content-Type: application/json", "--data-binary", "@\(body)",
            "\(own)/\(path)"))
        #expect(answer["error"] == nil && answer["id"] is String)
      }
      let rows = try #require(try json(Curl.ask("\(own)/getaudio"))["chatts"] as? [[Any]])
      #expect(rows.count == 3 && rows.allSatisfy { $0.count == 5 })
      #expect(rows[0][0] as? String == "phone" && rows[0][4] as? String == sound)
      #expect(rows[2][1] as? String == "from the node" && rows[2][4] is NSNull)
      let listed = posts(phone)
      #expect(listed.map(\.message) == ["by curl", "by curl", "from the node"])
      #expect(listed.map(\.seconds) == [2, 2, -1])
      #expect(posts(phone, .int32(listed[1].number), .int32(5)).map(\.message) == ["from the node"])
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx")
      #expect(ask(phone, "/feed/play", .int32(listed[0].number)).done != nil)
      try probe.awaitBlock("the post's sound plays") { Measure.peak($0) > 0.2 }
      let heard = try probe.unbroken(seconds: 0.15)
      #expect(isTone(heard))
      #expect(ask(phone, "/feed/play", .int32(listed[2].number)).fault.hasPrefix("missing"))
      #expect(ask(phone, "/feed/play", .int32(77)).fault.hasPrefix("missing"))
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `unsent posts wait, outlive the node, and are sent in order`() throws {
      let server = try JackServer()
      let folder = try TemporaryFolder()
      let home = folder.path("home")
      let database = folder.path("board.sqlite")
      let gone = try BoardProcess(database: database)
      let url = gone.url
      let port = try #require(self.port(of: url))
      gone.kill()
      do {
        let (node, phone) = try startNode(
          on: server, ["--set", "/feed/board=\(url)"], home: home)
        phone.send("/subscribe", .string("/feed/waiting"))
        for text in ["one", "two", "three"] {
          #expect(ask(phone, "/feed/post", .string(text)).done != nil)
        }
        #expect(phone.ask("/feed/waiting")?.arguments == [.int32(3)])
        let listed = ask(phone, "/feed/play", .int32(1))
        #expect(listed.fault.hasPrefix("io") && listed.fault.contains("can't connect to"))
        #expect(node.end() == 0)
      }
      let (node, phone) = try startNode(on: server, home: home)
      #expect(phone.ask("/feed/board")?.arguments == [.string(url)])
      try waitUntil("the posts are still queued") {
        phone.ask("/feed/waiting")?.arguments == [.int32(3)]
      }
      // A post for a board that can be reached doesn't wait for them.
      phone.send("/feed/board", .string(""))
      #expect(ask(phone, "/feed/post", .string("own")).done != nil)
      try waitUntil("the other board has its post") { posts(phone).map(\.message) == ["own"] }
      try waitUntil("only the others wait") {
        phone.ask("/feed/waiting")?.arguments == [.int32(3)]
      }
      phone.send("/feed/board", .string(url))
      let board = try BoardProcess(database: database, port: port)
      // A new post contacts the board at once.
      #expect(ask(phone, "/feed/post", .string("four")).done != nil)
      try waitUntil("all posts are sent") {
        phone.ask("/feed/waiting")?.arguments == [.int32(0)]
      }
      #expect(posts(phone).map(\.message) == ["four", "three", "two", "one"])
      #expect(node.end() == 0 && board.end() == 0)
    }

    @Test(.hangLimit)
    func `a node does not wait for a silent board at its end, and sends its posts later, once`()
      throws
    {
      let server = try JackServer()
      let folder = try TemporaryFolder()
      let home = folder.path("home")
      // The kernel accepts connections, and nobody answers.
      var listener: Socket? = try Socket(
        .stream, boundTo: Endpoint(address: .loopback4, port: 0))
      let port = try #require(listener?.port)
      let url = "http://127.0.0.1:\(port)"
      do {
        let (node, phone) = try startNode(
          on: server, ["--set", "/feed/board=\(url)"], home: home)
        #expect(ask(phone, "/feed/post", .string("one")).done != nil)
        var connection: (Socket, Endpoint)?
        try waitUntil("the node asks the board") {
          connection = listener?.accept()
          return connection != nil
        }
        // Behind the request in the queue: it is stored only if that is cut.
        phone.send("/feed/post", .string("two"))
        #expect(phone.sync())
        #expect(node.end() == 0)
        withExtendedLifetime(connection) {}
      }
      listener = nil
      let queued = try FileManager.default.contentsOfDirectory(atPath: "\(home)/outbox")
      #expect(queued.sorted() == ["1.post", "2.post"])
      let board = try BoardProcess(database: folder.path("board.sqlite"), port: Int(port))
      let (node, phone) = try startNode(on: server, home: home)
      try waitUntil("the posts are sent") { posts(phone).count == 2 }
      try waitUntil("the queue is empty") {
        phone.ask("/feed/waiting")?.arguments == [.int32(0)]
      }
      #expect(posts(phone).map(\.message) == ["two", "one"])
      #expect(node.end() == 0 && board.end() == 0)
    }

    @Test(.hangLimit)
    func `an invalid setting is reported in one line with the valid values`() throws {
      let (_, node, phone) = try startNode()
      for wrong in ["board.example", "ftp://board.example", "http://name:word@board.example"] {
        phone.send("/feed/board", .string(wrong))
        let error = try #require(phone.receive("/error"))
        #expect(error.arguments[1] == .string("range"))
        #expect(error.arguments[2].text?.contains("http://HOST:8090") == true)
      }
      #expect(ask(phone, "/feed/post", .string("")).fault.hasPrefix("range"))
      #expect(ask(phone, "/feed/post", .string("a"), .string("ffff")).fault.hasPrefix("missing"))
      #expect(ask(phone, "/feed/post/clip", .string("a")).fault.hasPrefix("state"))
      // A server that is not a board.
      phone.send("/feed/board", .string("http://127.0.0.1:\(node.port)"))
      #expect(phone.sync())
      #expect(!ask(phone, "/feed/play", .int32(1)).fault.isEmpty)
      #expect(phone.ask("/feed/board")?.arguments[0].text?.hasPrefix("http://") == true)
      #expect(node.end() == 0)
    }
  }
}
