import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// A node that resumes its state after a kill or an exit.
  @Suite struct ResumeTests {
    private static let killings = 30
    // A quarter of a second until the write, and the same for a busy disk.
    private static let keptAfter = 0.5

    private let folder: TemporaryFolder
    private let server: JackServer

    init() throws {
      folder = try TemporaryFolder()
      server = try JackServer()
    }

    private var home: String { folder.path("home") }
    private var file: URL { folder.url.appendingPathComponent("home/state/syrinx") }

    private func start(_ arguments: [String] = []) throws -> (NodeProcess, Phone) {
      try startNode(on: server, arguments, home: home)
    }

    private func lines() throws -> [Substring] {
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    }

    /// Waits until some lines are all written.
    private func awaitKept(_ wanted: [String]) throws {
      try waitUntil("\(wanted) are saved") {
        // For a moment at the start there is no file.
        guard let lines = try? lines() else { return false }
        return wanted.allSatisfy { lines.contains($0[...]) }
      }
    }

    // MARK: - Values

    @Test(.hangLimit)
    func `after a kill it has the same settings`() throws {
      var (node, phone) = try start()
      phone.send("/preset", .string("vader"))
      #expect(phone.receive("/reply") != nil)
      let values: [(String, Argument)] = [
        ("/live/gain", .float(-7.5)), ("/loop/route", .string("off")), ("/mute", .int32(1)),
        ("/echo/time", .float(0.123)), ("/player/direction", .int32(-1)),
        ("/metronome/bpm", .float(97.25)), ("/transport/lead", .int32(1)),
        ("/transport/follow", .int32(1)), ("/grid/root", .string("D")),
        ("/grid/instrument", .string("violin")), ("/grid/sustain", .int32(1)),
        ("/capture/source", .string("out")), ("/chain/bypass", .int32(1)),
      ]
      for (path, value) in values { phone.send(path, value) }
      phone.send("/echo/hold", .int32(1))
      #expect(phone.sync())
      try phone.awaitValue(of: "/grid/instrument", .string("violin"))
      try awaitKept(["/live/gain=-7.5", "/metronome/bpm=97.25", "/chain/bypass=1"])
      // The grid's values are in the library.
      try phone.pass(seconds: Self.keptAfter, "values of this age are saved")
      node.kill()
      (node, phone) = try start()
      // The sampler takes an instrument between two blocks.
      try phone.awaitValue(of: "/grid/instrument", .string("violin"))
      // At once: set before it was ready.
      for (path, value) in values { #expect(phone.ask(path)?.arguments == [value], "\(path)") }
      #expect(phone.ask("/preset")?.arguments == [.string("vader")])
      #expect(phone.ask("/pitch/engine")?.arguments == [.string("voice")])
      #expect(phone.ask("/echo/hold")?.arguments == [.int32(0)])
      #expect(phone.ask("/capture/on")?.arguments == [.int32(0)])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `killed at any moment, it has all settings older than half a second`() throws {
      // libjack supports one server per process.
      self.server.stop()
      let server = try JackServer(timeout: 10)
      // Its frame count is the clock: a busy machine delays the node and the server equally.
      let clock = try Probe(server: server.name)
      let keptFrames = Int(Self.keptAfter * 48_000)
      var latest = -1.0
      var safe = -1.0
      for round in 0..<Self.killings {
        let (node, phone) = try startNode(on: server, home: home)
        if round > 0 {
          let found = try #require(phone.ask("/live/gain")?.arguments[0].number)
          // The values decrease over time.
          #expect(
            found <= safe && found >= latest, "round \(round): \(found) of \(safe)...\(latest)")
          #expect(!node.errors.contains("state"), "round \(round): \(node.errors)")
        }
        let base = -Double(round % 2) * 40 - 1
        phone.send("/live/gain", .float(Float(base)))
        #expect(phone.sync())
        try clock.pass(seconds: Self.keptAfter, "values of this age are saved")
        var done: [(value: Double, at: Int)] = [(base, clock.heardFrames - keptFrames)]
        let end = clock.heardFrames + Int.random(in: 0...43_200)
        var step = 0
        while clock.heardFrames < end {
          step += 1
          let value = base - Double(step) / 64
          phone.send("/live/gain", .float(Float(value)))
          #expect(phone.sync(Int32(step)))
          done.append((value, clock.heardFrames))
          letPass(seconds: 0.002, "the rate of a fader")
        }
        let killed = clock.heardFrames
        node.kill()
        latest = done.last?.value ?? base
        safe = done.last { $0.at < killed - keptFrames }?.value ?? base
        #expect(try lines().last == "end", "round \(round)")
      }
      print("killed \(Self.killings) times: all values older than half a second were restored")
    }

    @Test(.hangLimit)
    func `stopped, it has the settings made just before`() throws {
      var (node, phone) = try start()
      phone.send("/live/gain", .float(-3.25))
      #expect(phone.sync())
      #expect(node.end() == 0)
      #expect(try lines().contains("/live/gain=-3.25"))
      (node, phone) = try start()
      phone.send("/live/gain", .float(-4.25))
      phone.send("/quit")
      #expect(node.awaitEnd() == 0)
      #expect(try lines().contains("/live/gain=-4.25"))
    }

    @Test(.hangLimit)
    func `options override the saved state, or discard it`() throws {
      var (node, phone) = try start(["--set", "/live/gain=-3", "--set", "/in/gain=-1"])
      #expect(node.end() == 0)
      (node, phone) = try start(["--preset", "vader", "--set", "/live/gain=-5"])
      #expect(phone.ask("/live/gain")?.arguments == [.float(-5)])
      #expect(phone.ask("/in/gain")?.arguments == [.float(-1)])
      #expect(phone.ask("/preset")?.arguments == [.string("vader")])
      #expect(node.end() == 0)
      (node, phone) = try start(["--preset", "chipmunk"])
      #expect(phone.ask("/preset")?.arguments == [.string("chipmunk")])
      #expect(phone.ask("/live/gain")?.arguments == [.float(-5)])
      #expect(node.end() == 0)
      (node, phone) = try start(["--fresh"])
      #expect(phone.ask("/preset")?.arguments == [.string("")])
      for path in ["/live/gain", "/in/gain", "/pitch/semitones"] {
        #expect(phone.ask(path)?.arguments == [.float(0)], "\(path)")
      }
      phone.send("/out/gain", .float(-2))
      #expect(phone.sync())
      #expect(node.end() == 0)
      (node, phone) = try start()
      #expect(phone.ask("/in/gain")?.arguments == [.float(0)])
      #expect(phone.ask("/out/gain")?.arguments == [.float(-2)])
      #expect(node.end() == 0)
    }

    @Test(
      .hangLimit, arguments: ["", "syrinx state 1\n/live/ga", "\u{0}\u{1}", "folder"])
    func `a damaged state is reported in one line, and the defaults apply`(text: String) throws {
      if text == "folder" {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
      } else {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      let (node, phone) = try start()
      #expect(phone.ask("/live/gain")?.arguments == [.float(0)])
      #expect(node.errors.split(separator: "\n").filter { $0.contains("state/syrinx") }.count == 1)
      #expect(node.errors.contains("syrinx.bad"))
      #expect(FileManager.default.fileExists(atPath: file.path + ".bad"))
      phone.send("/live/gain", .float(-3))
      #expect(phone.sync())
      #expect(node.end() == 0)
      #expect(try lines().contains("/live/gain=-3"))
    }

    @Test(.hangLimit)
    func `unknown and invalid lines are reported one by one, and the rest is restored`()
      throws
    {
      var (node, phone) = try start(["--set", "/live/gain=-3"])
      #expect(node.end() == 0)
      let text = try String(contentsOf: file, encoding: .utf8)
      try text.replacingOccurrences(of: "/in/gain=0", with: "/in/gain=99\n/in/warmth=3")
        .write(to: file, atomically: true, encoding: .utf8)
      (node, phone) = try start()
      #expect(phone.ask("/live/gain")?.arguments == [.float(-3)])
      #expect(node.errors.split(separator: "\n").filter { $0.contains("state/syrinx") }.count == 2)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a state that can't be saved is reported once, and the node plays on`() throws {
      try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: home + "/state"))
      let (node, phone) = try start()
      for step in 1...3 {
        phone.send("/live/gain", .float(-Float(step)))
        #expect(phone.sync())
        try waitUntil("the fault is reported") { node.errors.contains("is not saved") }
        letPass(seconds: 0.3, "each change is written separately")
      }
      #expect(node.errors.split(separator: "\n").filter { $0.contains("is not saved") }.count == 1)
      #expect(phone.ask("/live/gain")?.arguments == [.float(-3)])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a full disk stores the state again when it has room`() throws {
      guard let disk = try SmallDisk(megabytes: 4) else { return }
      let (node, phone) = try startNode(on: server, home: disk.path + "/home")
      phone.send("/live/gain", .float(-1))
      #expect(phone.sync())
      let path = disk.path + "/home/state/syrinx"
      func isKept(_ line: String) -> Bool {
        (try? String(contentsOfFile: path, encoding: .utf8))?.contains("\(line)\n") == true
      }
      try waitUntil("the first value is saved") { isKept("/live/gain=-1") }
      try disk.fill()
      phone.send("/live/gain", .float(-2))
      #expect(phone.sync())
      try waitUntil("the fault is reported") { node.errors.contains("the state is not saved") }
      #expect(isKept("/live/gain=-1"))
      try disk.empty()
      phone.send("/live/gain", .float(-3))
      #expect(phone.sync())
      try waitUntil("the last value is saved") { isKept("/live/gain=-3") }
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `nodes of other names have their own state, and a second one of a name has none`()
      throws
    {
      let (node, phone) = try start()
      let (other, otherPhone) = try start(["--name", "other"])
      let (second, secondPhone) = try start()
      #expect(second.errors.contains("another node saves its state in \(file.path)"))
      phone.send("/live/gain", .float(-1))
      otherPhone.send("/live/gain", .float(-2))
      secondPhone.send("/live/gain", .float(-3))
      for phone in [phone, otherPhone, secondPhone] { #expect(phone.sync()) }
      for node in [second, other, node] { #expect(node.end() == 0) }
      #expect(try lines().contains("/live/gain=-1"))
      #expect(
        try String(contentsOfFile: home + "/state/other", encoding: .utf8).contains("gain=-2"))
    }

    @Test(.hangLimit)
    func `a restored gain applies from the first sample on, without a click`() throws {
      var (node, phone) = try start(["--set", "/live/gain=-20"])
      // Without the greeting.
      phone.send("/settings/startup", .int32(0))
      let probe = try Probe(server: server.name) { _ in 0.5 }
      try probe.connect(to: "syrinx")
      try awaitKept(Self.links)
      node.kill()
      try waitUntil("its ports are removed") { probe.ports(of: "syrinx").isEmpty }
      let level: Float = 0.05
      let heard = try probe.record {
        (node, phone) = try start()
        try probe.awaitBlock("the output has faded in") { abs(($0.last ?? 0) - level) < 1e-5 }
      }
      // The rounding of a gain in decibels, and of the sum.
      #expect((heard.samples.max() ?? 0) < level + 1e-5)
      #expect(abs((heard.samples.last ?? 0) - level) < 1e-5)
      // It fades in over milliseconds once it is connected, without a step.
      let steps = zip(heard.samples, heard.samples.dropFirst()).map { abs($1 - $0) }
      #expect((steps.max() ?? 1) < level / 20, "\(steps.max() ?? 1)")
      #expect(phone.ask("/live/gain")?.arguments == [.float(-20)])
      probe.close()
      #expect(node.end() == 0)
    }

    // MARK: - Connections

    private func connections(_ probe: Probe) -> [[String]] {
      ["in_1", "in_2", "out_1"].map { probe.connections(of: "syrinx:\($0)") }
    }

    private static let all = [["player:left"], ["player:right"], ["hearer:in"]]
    private static let links = ["in_1=player:left", "in_2=player:right", "out_1=hearer:in"]

    @Test(.hangLimit, arguments: [true, false])
    func `its connections are restored before it is ready`(isKilled: Bool) throws {
      var (node, _) = try start()
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx")
      try awaitKept(Self.links)
      if isKilled { node.kill() } else { #expect(node.end() == 0) }
      try waitUntil("its ports are removed") { probe.ports(of: "syrinx").isEmpty }
      (node, _) = try start()
      #expect(connections(probe) == Self.all)
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `connections to a program that starts later are made then`() throws {
      var (node, _) = try start()
      let first = try Probe(server: server.name)
      try first.connect(to: "syrinx")
      try awaitKept(Self.links)
      node.kill()
      first.close()
      server.stop()
      try server.start()
      (node, _) = try start()
      // And again: waiting connections are saved, too.
      letPass(seconds: 0.5, "the state is saved")
      node.kill()
      (node, _) = try start()
      let second = try Probe(server: server.name)
      try waitUntil("the connections are made") { connections(second) == Self.all }
      // It exits and returns while the node runs.
      second.close()
      let phone = try Phone(port: node.port)
      try waitUntil("the node reports no connections") {
        phone.send("/ports")
        return phone.receive(untilOneOf: ["/ports/end"]).dropLast().allSatisfy {
          $0.arguments.count == 3
        }
      }
      let third = try Probe(server: server.name)
      try waitUntil("the connections are made again") { connections(third) == Self.all }
      third.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a removed connection stays removed`() throws {
      var (node, _) = try start()
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx")
      try awaitKept(Self.links)
      letPass(seconds: 0.5, "disconnections while a client joins are attributed to the client")
      #expect(probe.disconnect("player:left", "syrinx:in_1"))
      // Within a second, a dying server could be the cause.
      try waitUntil("it is no longer saved") { try !lines().contains(Self.links[0][...]) }
      #expect(connections(probe) == [[]] + Self.all[1...])
      node.kill()
      (node, _) = try start()
      letPass(seconds: 0.5, "the connection would be made by then")
      #expect(connections(probe) == [[]] + Self.all[1...])
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func
      `the hardware is connected at first and with --fresh, but not where a user disconnected it`()
      throws
    {
      var (node, _) = try start()
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx")
      try awaitKept(Self.links)
      letPass(seconds: 0.5, "disconnections while a client joins are attributed to the client")
      #expect(probe.disconnect("player:left", "syrinx:in_1"))
      #expect(probe.disconnect("player:right", "syrinx:in_2"))
      try waitUntil("both connections are no longer saved") {
        try !lines().contains { $0.hasPrefix("in_1=") || $0.hasPrefix("in_2=") }
      }
      #expect(node.end() == 0)
      (node, _) = try start(["--connect"])
      letPass(seconds: 3.5, "previous ports may take almost as long to appear")
      #expect(probe.connections(of: "syrinx:in_1").isEmpty)
      #expect(probe.connections(of: "syrinx:out_1") == ["hearer:in"])
      #expect(probe.connections(of: "syrinx:out_2").isEmpty)
      #expect(node.end() == 0)
      (node, _) = try start(["--connect", "--fresh"])
      try waitUntil("the hardware is connected") {
        probe.connections(of: "syrinx:out_2") == ["system:playback_2"]
      }
      #expect(probe.connections(of: "syrinx:out_1") == ["system:playback_1"])
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func
      `the hardware is connected where all of before waits, and what is of another server is not`()
      throws
    {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let links = "in_1=other card:capture_1\nout_1=system:playback_2\n"
      try Data("syrinx state 1\n\(links)end\n".utf8).write(to: file)
      var (node, _) = try start(["--connect"])
      let probe = try Probe(server: server.name)
      try waitUntil("the hardware is connected") {
        probe.connections(of: "syrinx:in_1") == ["system:capture_1"]
      }
      #expect(probe.connections(of: "syrinx:out_1") == ["system:playback_2"])
      #expect(node.end() == 0)
      try Data("syrinx state 1\n\(links)server=elsewhere\nend\n".utf8).write(to: file)
      (node, _) = try start()
      letPass(seconds: 0.3, "the connection would be made by then")
      #expect(probe.connections(of: "syrinx:out_1").isEmpty)
      probe.close()
      #expect(node.end() == 0)
      #expect(try lines().contains("server=\(server.name)"))
    }
  }
}
