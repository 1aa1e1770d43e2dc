import Foundation
import OSC
import Synchronization
import TestSupport
import Testing

extension NodeTests {
  @Suite struct JackCitizenTests {
    private static let ports = [
      "in_1", "in_2", "out_1", "out_2", "live_1", "live_2", "loop_1", "loop_2", "grid_1", "grid_2",
      "harmony_1", "harmony_2",
      "click", "loop2_1", "loop2_2", "loop3_1", "loop3_2", "loop4_1", "loop4_2", "midi_in",
      "midi_out", "speech_1",
    ]

    @Test(.hangLimit)
    func `it has all its ports, in order, with pretty names`() throws {
      let (server, node, _) = try startNode()
      let probe = try Probe(server: server.name)
      #expect(probe.ports(of: "syrinx") == Self.ports.map { "syrinx:\($0)" })
      try waitUntil("the last port has its order") {
        probe.property("order", of: "syrinx:speech_1") == "\(Self.ports.count)"
      }
      #expect(probe.property("pretty-name", of: "syrinx:in_1") == "Input left")
      #expect(probe.property("port-group", of: "syrinx:live_2") == "Live stem")
      #expect(
        Self.ports.indices.allSatisfy {
          probe.property("order", of: "syrinx:\(Self.ports[$0])") == "\($0 + 1)"
        })
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a second node gets its own name, and reports it`() throws {
      let server = try JackServer()
      let first = try NodeProcess(server: server)
      let second = try NodeProcess(server: server)
      #expect(first.ready["name"] == "syrinx")
      #expect(second.ready["name"] != "syrinx")
      let phone = try Phone(port: second.port)
      #expect(phone.ask("/status/server")?.arguments == [.string("running")])
      #expect(second.end() == 0)
      #expect(first.end() == 0)
    }

    @Test(.hangLimit)
    func `nodes that end at the same time leave a server that answers`() throws {
      let server = try JackServer()
      let nodes = try (1...3).map { try NodeProcess(server: server, ["-n", "choir\($0)"]) }
      for node in nodes { kill(node.id, SIGTERM) }
      for node in nodes { #expect(node.awaitEnd() == 0) }
      let probe = try Probe(server: server.name)
      #expect(probe.ports(of: "choir1").isEmpty)
      probe.close()
      server.stop()
    }

    @Test(.hangLimit)
    func `it passes on latencies`() throws {
      let (server, node, _) = try startNode()
      let probe = try Probe(server: server.name, capturedDelay: 100)
      try probe.connect(to: "syrinx")
      try waitUntil("the node's last port has the latency") {
        probe.latency(of: "syrinx:live_2", isCapture: true) == 100...100
      }
      let captured = try #require(probe.latency(of: "player:left", isCapture: true))
      #expect(captured == 100...100)
      for port in ["in_1", "out_1", "live_2"] {
        #expect(probe.latency(of: "syrinx:\(port)", isCapture: true) == captured, "\(port)")
      }
      // The loop's sound does not come from the input.
      #expect(probe.latency(of: "syrinx:loop_1", isCapture: true) == 0...0)
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `it reports that another client has taken its name meanwhile`() throws {
      let (server, node, _) = try startNode()
      // The node is stopped while the other client joins.
      kill(node.id, SIGSTOP)
      server.kill()
      try server.start()
      let thief = try Probe(server: server.name, playerName: "syrinx")
      kill(node.id, SIGCONT)
      try waitUntil("it reports the taken name") {
        node.errors.contains("is already named syrinx")
      }
      thief.close()
      try waitUntil("it reports the reconnection") {
        node.errors.contains("reconnected to the JACK server")
      }
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `connecting to the hardware connects both sides`() throws {
      let (server, node, _) = try startNode(["--connect"])
      let probe = try Probe(server: server.name)
      try waitUntil("the last pair is connected") {
        probe.connections(of: "syrinx:out_2") == ["system:playback_2"]
      }
      #expect(probe.connections(of: "syrinx:in_1") == ["system:capture_1"])
      probe.close()
      #expect(node.end() == 0)
    }

    /// Waits until a node has a connection in its saved state, so that it is stored.
    private func awaitRemembered(_ link: String, by node: NodeProcess, _ name: String) throws {
      try waitUntil("\(link) is saved") {
        let state = try? String(contentsOfFile: "\(node.home)/state/\(name)", encoding: .utf8)
        return state?.split(separator: "\n").contains(link[...]) == true
      }
    }

    @Test(.hangLimit, arguments: [true, false])
    func `when the server dies it runs on, and rejoins with the same state`(crashes: Bool) throws {
      let (server, node, phone) = try startNode(["-n", "phoenix", "--connect"])
      let first = try Probe(server: server.name)
      try first.connect(to: "phoenix", output: "live_1")
      phone.send("/live/gain", .float(-7))
      #expect(phone.sync())
      try awaitRemembered("live_1=hearer:in", by: node, "phoenix")
      first.close()
      if crashes { server.kill() } else { server.stop() }
      try phone.awaitServer("gone")
      // State persists, can be changed, and takes effect.
      #expect(phone.ask("/live/gain")?.arguments == [.float(-7)])
      phone.send("/loop/gain", .float(-3))
      #expect(phone.sync())
      #expect(phone.ask("/loop/gain")?.arguments == [.float(-3)])
      try server.start()
      // The server's own time: a busy machine delays it as it delays the node.
      let second = try Probe(server: server.name) { _ in 0.5 }
      try phone.awaitServer("running")
      let took = Double(second.heardFrames) / 48_000
      print("back on the server after \(Int(took * 1000)) ms")
      #expect(took < 1)
      #expect(second.ports(of: "phoenix").count == Self.ports.count)
      try waitUntil("its connections are restored") {
        second.connections(of: "phoenix:in_1").contains("system:capture_1")
          && second.connections(of: "phoenix:out_2").contains("system:playback_2")
      }
      try second.connect(to: "phoenix")
      // The stem's connection to the recorder is restored as well: the recording is the sum.
      let expected = 2 * 0.5 * Float(pow(10, -7.0 / 20))
      try second.awaitBlock("both signals play") { $0.allSatisfy { abs($0 - expected) < 1e-4 } }
      let heard = try second.unbroken(seconds: 0.1)
      #expect(heard.count > 1000)
      #expect(heard.allSatisfy { abs($0 - expected) < 1e-4 })
      second.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `it plays on when the server restarts at another rate`() throws {
      let (server, node, phone) = try startNode()
      server.stop()
      try server.start(rate: 96_000)
      try phone.awaitServer("running")
      #expect(phone.ask("/status/rate")?.arguments == [.int32(96_000)])
      let probe = try Probe(server: server.name) { _ in 0.5 }
      try probe.connect(to: "syrinx")
      try probe.awaitPassage()
      let heard = try probe.record {
        phone.send("/live/gain", .float(-90))
        try probe.pass(seconds: 0.1, "the ramp runs for it")
      }
      // The glide takes as long as before: half of it after 1.7 time constants of 3 ms.
      let start = heard.samples.firstIndex { $0 != 0.5 } ?? 0
      let half = heard.samples.firstIndex { $0 < 0.25 } ?? 0
      #expect(heard.gaps == 0)
      #expect(abs(Double(half - start) / 96_000 - 0.00504) < 0.0002)
      let clock = try #require(phone.ask("/clock")).arguments
      #expect(abs((clock[2].number ?? 0) / 96_000 - 1) < 0.00101)
      probe.close()
      #expect(node.end() == 0)
    }

    // Without a wait for it, libjack keeps a lock of the whole process, and the node never joins again.
    @Test(.hangLimit)
    func `it rejoins although libjack is still busy with the end of the last server`() throws {
      let folder = try TemporaryFolder()
      let library = folder.path("slow-leave.so")
      let compiler = try Process.run(
        URL(filePath: "/usr/bin/env"),
        arguments: [
          "clang", "-shared", "-fPIC", "-o", library, Project.file("Tests/Rigs/slow-leave.c").path,
        ])
      compiler.waitUntilExit()
      try #require(compiler.terminationStatus == 0)
      let (server, node, phone) = try startNode(environment: ["LD_PRELOAD": library])
      for _ in 1...2 {
        server.stop()
        try server.start()
        try phone.awaitServer("running")
      }
      #expect(!node.errors.contains("does not release"))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `its connections to programs that come back later are restored then`() throws {
      let (server, node, phone) = try startNode()
      let first = try Probe(server: server.name)
      try first.connect(to: "syrinx")
      for link in ["in_1=player:left", "out_1=hearer:in"] {
        try awaitRemembered(link, by: node, "syrinx")
      }
      // The whole server dies while the other client still uses it.
      server.kill()
      first.close()
      try phone.awaitServer("gone")
      try server.start()
      try phone.awaitServer("running")
      let second = try Probe(server: server.name)
      // In any order: the server refuses connections to a program that has its ports but is not
      // active yet.
      try waitUntil("both connections are made") {
        second.connections(of: "syrinx:out_1") == ["hearer:in"]
          && second.connections(of: "syrinx:in_1") == ["player:left"]
      }
      second.close()
      #expect(node.end() == 0)
    }

    /// Waits until a port is reported with these connections.
    private func awaitPort(_ name: String, _ connections: String..., at phone: Phone) throws {
      var told: [String] = []
      try waitUntil("\(name) is reported with \(connections)") {
        guard let received = phone.receive("/port", seconds: 0.1) else { return false }
        told = received.arguments.compactMap(\.text)
        return told.first == name && Array(told.dropFirst(3)) == connections
      }
    }

    @Test(.hangLimit)
    func `ports and their connections are queryable, and changes are reported`() throws {
      let (server, node, phone) = try startNode()
      phone.send("/ports")
      let answer = phone.receive(untilOneOf: ["/ports/end"])
      #expect(answer.last?.arguments == [.int32(Int32(Self.ports.count))])
      let rows = answer.dropLast().map { $0.arguments.compactMap(\.text) }
      #expect(rows.map { $0[0] } == Self.ports)
      #expect(rows.allSatisfy { $0.count == 3 })
      #expect(
        rows[0][1...] == ["audio", "in"] && rows[Self.ports.count - 2][1...] == ["midi", "out"])
      phone.send("/subscribe", .string("/port"))
      #expect(phone.sync())
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx")
      try awaitPort("out_1", "hearer:in", at: phone)
      phone.send("/ports")
      let later = phone.receive(untilOneOf: ["/ports/end"]).map(\.arguments)
      #expect(later.contains(["in_1", "audio", "in", "player:left"].map(Argument.string)))
      #expect(later.contains(["in_2", "audio", "in", "player:right"].map(Argument.string)))
      #expect(probe.disconnect("syrinx:out_1", "hearer:in"))
      try awaitPort("out_1", at: phone)
      server.kill()
      try awaitPort("in_2", at: phone)
      phone.send("/ports")
      #expect(
        phone.receive(untilOneOf: ["/ports/end"]).last == Received("/ports/end", [.int32(0)]))
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit, arguments: ["out_1", "live_1"])
    func `a late connection gets the present sound, and never what played when the last one left`(
      output: String
    ) throws {
      let (server, node, phone) = try startNode()
      let level = Mutex(Float(0))
      let probe = try Probe(server: server.name) { _ in level.withLock { $0 } }
      phone.send("/subscribe", .string("/port"))
      #expect(phone.sync())
      for _ in 0..<3 {
        level.withLock { $0 = 0.25 }
        try probe.connect(to: "syrinx", output: output)
        try probe.awaitBlock("the input plays") { $0.allSatisfy { abs($0 - 0.25) < 1e-4 } }
        // Of a connection that a busy node has not seen, it reports no end.
        try awaitPort(output, "hearer:in", at: phone)
        // While it plays.
        #expect(probe.disconnect("syrinx:\(output)", "hearer:in"))
        try awaitPort(output, at: phone)
        level.withLock { $0 = 0 }
        try probe.pass(seconds: 0.2, "earlier input has passed through")
        let recording = try probe.record {
          try probe.hear("syrinx:\(output)")
          try probe.awaitBlock("the output is silent") { $0.allSatisfy { $0 == 0 } }
        }
        #expect(!recording.samples.isEmpty && recording.samples.allSatisfy { $0 == 0 })
      }
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a connection made while another client blocks the server gets sound`() throws {
      let (server, node, _) = try startNode()
      // JACK reports a connection at once, and makes it when all clients have finished the cycle.
      let holdsUp = Mutex(false)
      let probe = try Probe(server: server.name) { _ in
        if holdsUp.withLock({ holds in
          defer { holds = false }; return holds
        }) {
          usleep(100_000)
        }
        return 0.25
      }
      for round in 0..<5 {
        holdsUp.withLock { $0 = true }
        try waitUntil("the callback blocks the server") { !holdsUp.withLock { $0 } }
        try probe.connect(to: "syrinx")
        try probe.awaitBlock("the input plays, round \(round)") {
          $0.allSatisfy { abs($0 - 0.25) < 1e-4 }
        }
        for (from, to) in [
          ("player:left", "syrinx:in_1"), ("player:right", "syrinx:in_2"),
          ("syrinx:out_1", "hearer:in"),
        ] {
          #expect(probe.disconnect(from, to))
        }
        letPass(seconds: 0.8, "the node polls connections a few times a second")
      }
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `without a server it reports that and ends`() throws {
      let result = try NodeProcess.run(
        ["run", "--port", "0", "--server", "no-such-server", "--home", NSTemporaryDirectory()])
      #expect(result.code == 69)
      #expect(result.errors.contains("no JACK server named no-such-server is running"))
      #expect(result.output.isEmpty)
    }
  }
}
