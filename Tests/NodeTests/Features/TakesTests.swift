import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The take library of the running node.
  @Suite struct TakesTests {
    private static let tone: @Sendable (UInt32) -> Float = { frame in
      Float(0.3 * sin(2 * .pi * 400 * Double(frame % 4_800_000) / 48_000))
    }

    /// Sends a long-running command, and returns the contents of `/reply`.
    private func ask(_ phone: Phone, _ address: String, _ arguments: Argument...) -> [Argument]? {
      phone.send(bytes: [UInt8](address: address, arguments))
      let all = phone.receive(untilOneOf: ["/reply", "/error"])
      return all.last?.address == "/reply" ? Array(all.last!.arguments.dropFirst()) : nil
    }

    private func record(_ phone: Phone, seconds: Double) throws {
      phone.send("/player/record")
      try phone.awaitLength(seconds)
      phone.send("/player/stop")
      #expect(phone.sync())
      try phone.pass(seconds: 0.05, "sound after the end is recorded")
    }

    @Test(.hangLimit)
    func `a take outlives the node, with its time and location, and plays in the next`() throws {
      let server = try JackServer()
      let folder = try TemporaryFolder()
      let home = folder.path("home")
      var id = ""
      do {
        let (node, phone) = try startNode(on: server, home: home)
        let probe = try Probe(server: server.name, plays: Self.tone)
        try probe.connect(to: "syrinx")
        phone.send("/location", .double(52.520_008), .double(13.404_954))
        phone.send("/settings/autoplay", .int32(1))
        phone.send("/preset", .string("vader"))
        #expect(phone.receive("/reply") != nil)
        try record(phone, seconds: 0.5)
        let reply = try #require(ask(phone, "/take/save", .string("Dawn chorus")))
        id = try #require(reply[0].text)
        #expect(ask(phone, "/take/species", .string(id), .string("Wren")) != nil)
        #expect(node.end() == 0)
      }
      let (node, phone) = try startNode(on: server, home: home)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx")
      #expect(phone.ask("/settings/autoplay")?.arguments == [.int32(1)])
      #expect(
        phone.ask("/location")?.arguments == [.float(52.520_008), .float(13.404_954)])
      phone.send("/takes")
      let listed = phone.receive(untilOneOf: ["/takes/end"])
      #expect(listed.count == 2)
      #expect(
        listed[0].arguments[..<3] == [.string(id), .string("Dawn chorus"), .string("Wren")])
      #expect(listed[0].arguments[5] == .float(52.520_008))
      // Selecting it plays it.
      phone.send("/take/show", .string(id))
      let shown = phone.receive(untilOneOf: ["/reply"])
      #expect(shown.first { $0.address == "/take/sound" }?.arguments[2] == .string("vader"))
      #expect(phone.receive("/reply")?.arguments[0] == .string("/take/play"))
      try probe.awaitBlock("the take starts") { Measure.peak($0) > 0.1 }
      let heard = try probe.record(seconds: 0.2)
      #expect(Measure.peak(heard.samples) > 0.25)
      #expect(node.end() == 0)
      #expect(node.errors == "" || !node.errors.contains("library"))
    }

    @Test(.hangLimit)
    func `send waits for lists and files, and exits with their result`() throws {
      let (_, node, phone) = try startNode()
      func send(_ arguments: String...) throws -> (code: Int32, output: String, errors: String) {
        try NodeProcess.run(["send", "--to", "127.0.0.1:\(node.port)"] + arguments)
      }
      #expect(try send("/takes").output == "/takes/end 0\n")
      #expect(try send("/take/save").code == 69)
      try record(phone, seconds: 0.1)
      let saved = try send("/take/save", "First")
      #expect(saved.code == 0 && saved.output.hasPrefix("/reply /take/save "))
      let id = try #require(saved.output.split(separator: " ").dropFirst(2).first)
      let lines = try send("/takes/find", "first").output.split(separator: "\n")
      #expect(lines.count == 2 && lines[0].hasPrefix("/take \(id) First "))
      #expect(try send("/take/export", String(id), "first.ogg").code == 0)
      #expect(FileManager.default.fileExists(atPath: node.home + "/first.ogg"))
      #expect(try send("/take/export", String(id), "../first.ogg").code == 77)
      #expect(try send("/take/load", "feed").code == 66)
    }

    @Test(.hangLimit)
    func `a server at another rate plays a take unchanged`() throws {
      let folder = try TemporaryFolder()
      let home = folder.path("home")
      var id = ""
      let server = try JackServer()
      do {
        let (node, phone) = try startNode(on: server, home: home)
        let probe = try Probe(server: server.name, plays: Self.tone)
        try probe.connect(to: "syrinx")
        try record(phone, seconds: 1)
        id = try #require(ask(phone, "/take/save")?[0].text)
        #expect(node.end() == 0)
      }
      server.stop()
      try server.start(rate: 44_100)
      let (node, phone) = try startNode(on: server, home: home)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx")
      phone.send("/loop/route", .string("direct"))
      #expect(ask(phone, "/take/play", .string(id)) != nil)
      try probe.awaitBlock("the take starts") { Measure.peak($0) > 0.1 }
      let heard = try probe.record(seconds: 0.4).samples
      // The tone is 400 Hz at any rate; some parts have the loop crossfade.
      let residues = stride(from: 0, to: 16_000, by: 2000).map {
        Measure.residue(heard[$0..<$0 + 2000], hertz: 400, sampleRate: 44_100)
      }
      #expect(residues.min()! < -60)
      #expect(node.end() == 0)
    }
  }
}
