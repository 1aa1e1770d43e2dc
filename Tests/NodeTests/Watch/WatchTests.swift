import Control
import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// `syrinx watch`, and the line that `syrinx run` shows on a terminal.
  @Suite struct WatchTests {
    private static func place(_ node: NodeProcess) -> String { "127.0.0.1:\(node.port)" }

    /// Leaves the alternate screen with the cursor shown, at the end.
    private static let closing = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    @Test(.hangLimit)
    func `with --once it prints the current values and quits`() throws {
      let (_, node, phone) = try startNode(["-n", "owl"])
      phone.send("/live/gain", .float(-7.5))
      phone.send("/loop/route", .string("direct"))
      phone.send("/preset", .string("chipmunk"))
      phone.send("/grid/root", .string("E"))
      phone.send("/metronome/bpm", .float(93.5))
      #expect(phone.sync())
      for arguments in [["--once"], [], ["--once", "--seconds", "0.5"]] {
        let result = try NodeProcess.run(
          ["watch", "--to", Self.place(node)] + arguments, environment: ["LC_ALL": "C.UTF-8"])
        #expect(result.code == 0 && result.errors.isEmpty)
        for words in [
          "owl \(Version.text)  \(Self.place(node))", " 48000 Hz    64 frames  server running",
          "-7.5   chain",
          "direct", "Chain  chipmunk", " 93.5 bpm", "E chromatic", "takes        0", "clients  1",
        ] { #expect(result.output.contains(words), "\(words)") }
        #expect(!result.output.contains("\u{1B}") && !result.output.contains("tab page"))
      }
      let plain = try NodeProcess.run(
        ["watch", "--to", Self.place(node)], environment: ["LC_ALL": "C"])
      #expect(plain.output.allSatisfy { $0.isASCII } && plain.output.contains("- Levels -"))
      // It has unsubscribed.
      #expect(phone.ask("/status/clients")?.arguments == [.int32(0)])
      #expect(node.end() == 0)
      let alone = try NodeProcess.run(["watch", "--to", Self.place(node)])
      #expect(alone.code == 69 && alone.output.isEmpty)
      #expect(alone.errors.contains("no reply from \(Self.place(node))"))
      #expect(alone.errors.split(separator: "\n").count == 1)
    }

    @Test(.hangLimit)
    func `it follows the node and the terminal size, and restores the terminal`() throws {
      let (_, node, phone) = try startNode()
      let terminal = try PseudoTerminal(["watch", "--to", Self.place(node)])
      #expect(terminal.shows("server running") && terminal.shows("q end  tab page 1/5"))
      #expect(terminal.picture.isOnOtherPage && terminal.picture.isCursorHidden)
      #expect(!terminal.isAsBefore)
      phone.send("/live/gain", .float(-7.5))
      #expect(terminal.shows("-7.5   chain"))
      phone.send("/player/record")
      #expect(terminal.shows("recording"))
      // Two clients: this one has not subscribed, and the watch has.
      #expect(terminal.shows("clients  1"))
      terminal.type("\t")
      #expect(terminal.shows("page 2/5") && terminal.shows("space pedal"))
      terminal.type("\u{1B}[D")
      #expect(terminal.shows("page 1/5"))
      terminal.type("?")
      #expect(terminal.shows("Shift-Tab"))
      terminal.type("?")
      terminal.resize(columns: 120, rows: 40)
      #expect(terminal.wait { $0.lines.last?.contains("q end") ?? false })
      #expect(terminal.shows("Messages  errors"))
      // Output for the old size is too wide for the first one, but not for the second.
      for columns in [39, 40] {
        terminal.resize(columns: columns, rows: 8)
        #expect(terminal.shows("60x15 shows more"))
      }
      #expect(!terminal.picture.hasOverflown)
      terminal.resize(columns: 80, rows: 24)
      #expect(terminal.shows("page 1/5"))
      // Without a shell that could resume it, it does not stop.
      terminal.type("\u{1A}")
      terminal.type("\t")
      #expect(terminal.shows("page 2/5") && !terminal.isAsBefore)
      terminal.type("q")
      #expect(terminal.awaitEnd() == 0)
      #expect(terminal.output.hasSuffix(Self.closing) && terminal.isAsBefore)
      #expect(phone.ask("/status/clients")?.arguments == [.int32(0)])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `keys control loops like a pedal, and clear one only when pressed twice`() throws {
      let (_, node, phone) = try startNode()
      let terminal = try PseudoTerminal(["watch", "--to", Self.place(node)])
      #expect(terminal.shows("page 1/5"))
      terminal.type("\t")
      #expect(terminal.shows(" Loops  4 of") && terminal.shows("> 1 EMPTY"))
      func frame() throws -> Int64 {
        guard case .int64(let frame) = phone.ask("/clock")?.arguments.first else {
          throw Fault("the clock has no frame")
        }
        return frame
      }
      let start = try frame()
      terminal.type("2")
      #expect(terminal.shows("> 2 EMPTY"))
      func isIn(_ state: String, _ number: Int = 2) throws {
        try waitUntil("loop \(number) is \(state)") {
          phone.ask("/loop/\(number)/state")?.arguments.first == .string(state)
        }
      }
      terminal.type(" ")
      try isIn("recording")
      #expect(terminal.shows("> 2 REC"))
      try phone.awaitLength(0.5, ofLoop: 2)
      terminal.type(" ")
      try isIn("playing")
      #expect(terminal.shows("> 2 PLAY"))
      terminal.type("m")
      try isIn("muted")
      #expect(terminal.shows("> 2 MUTE"))
      terminal.type("m")
      try isIn("playing")
      for (key, state) in [
        ("o", "overdubbing"), ("o", "playing"), ("x", "stopped"), ("p", "playing"),
      ] {
        terminal.type(key)
        try isIn(state)
      }
      // The first press asks, and another key does not confirm.
      terminal.type("c")
      #expect(terminal.shows("c again clears loop 2"))
      terminal.type("1")
      #expect(terminal.shows("> 1 EMPTY") && terminal.wait { !$0.lines.joined().contains("again") })
      terminal.type("2c")
      #expect(terminal.shows("> 2 PLAY") && terminal.shows("c again clears loop 2"))
      try isIn("playing")
      terminal.type("c")
      try isIn("empty")
      terminal.type("u")
      try waitUntil("the loop is back") {
        phone.ask("/loop/2/state")?.arguments[2].number ?? 0 > 0
      }
      terminal.type("y")
      try isIn("empty")
      terminal.type("u")
      try waitUntil("the loop is back again") {
        phone.ask("/loop/2/state")?.arguments[2].number ?? 0 > 0
      }
      // A digit after k is a number of bars, and else the number of a loop.
      try waitUntil("the input of a bar has passed") { try frame() >= start + 2 * 48_000 }
      terminal.type("k")
      #expect(terminal.shows("a digit keeps that many bars in loop 2"))
      terminal.type("1")
      try isIn("playing")
      try waitUntil("a bar is kept") {
        phone.ask("/loop/2/state")?.arguments[2].number.map { abs($0 - 2) < 0.001 } == true
      }
      for (key, state) in [
        ("e", "replacing"), ("b", "substituting"), ("b", "playing"), ("l", "multiplying"),
        ("l", "playing"), ("i", "inserting"), ("i", "playing"), ("z", "paused"), ("z", "playing"),
        ("X", "stopped"),
      ] {
        terminal.type(key)
        try isIn(state)
      }
      terminal.type("n")
      try isIn("playing")
      try isIn("stopped")
      terminal.type("w")
      try phone.awaitValue(of: "/takes/total", .int32(1))
      // There is no ninth.
      terminal.type("9")
      terminal.type("1")
      #expect(terminal.shows("> 1 EMPTY"))
      terminal.type("q")
      #expect(terminal.awaitEnd() == 0)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `its page of bindings follows changes`() throws {
      let (_, node, phone) = try startNode()
      let terminal = try PseudoTerminal(["watch", "--to", Self.place(node)])
      #expect(terminal.shows("server running"))
      terminal.type("\t\t\t\t")
      #expect(terminal.shows("Bindings 0"))
      phone.send("/midi/bind", .string("note:60"), .string("/loop/1/pedal"))
      #expect(terminal.shows("note:60              hold    /loop/1/pedal"))
      terminal.type("q")
      #expect(terminal.awaitEnd() == 0)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `suspended, it returns the terminal to the shell until resumed`() throws {
      let (_, node, _) = try startNode()
      let terminal = try PseudoTerminal(["watch", "--to", Self.place(node)], inShell: true)
      #expect(terminal.shows("server running") && terminal.picture.isOnOtherPage)
      terminal.type("\u{1A}")
      #expect(terminal.wait { !$0.isOnOtherPage && !$0.isCursorHidden })
      #expect(terminal.wait { _ in terminal.isAsBefore })
      // The shell reads this line; it would end a watch that has not stopped.
      terminal.type("q\n")
      #expect(terminal.wait { $0.isOnOtherPage && $0.isCursorHidden })
      #expect(terminal.shows("server running") && !terminal.isAsBefore)
      terminal.type("q")
      #expect(terminal.awaitEnd() == 0)
      #expect(terminal.output.hasSuffix(Self.closing) && terminal.isAsBefore)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit, arguments: [SIGTERM, SIGHUP, SIGINT])
    func `a signal quits it like a key`(number: Int32) throws {
      let (_, node, _) = try startNode()
      let terminal = try PseudoTerminal(
        ["watch", "--to", Self.place(node)], environment: ["NO_COLOR": "1"])
      #expect(terminal.shows("server running"))
      if number == SIGINT {
        terminal.type("\u{3}")
      } else {
        terminal.signal(number)
      }
      #expect(terminal.awaitEnd() == 0)
      #expect(terminal.output.hasSuffix(Self.closing) && terminal.isAsBefore)
      #expect(terminal.picture.colors == 0)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit, arguments: ["", "osc.tcp://"])
    func `a lost node is reported, and shown again when it is back`(scheme: String) throws {
      let server = try JackServer()
      let first = try NodeProcess(server: server)
      let port = first.port
      let terminal = try PseudoTerminal(
        ["watch", "--to", scheme + Self.place(first), "--seconds", "60"])
      #expect(terminal.shows("server running"))
      first.kill()
      #expect(terminal.shows("no reply from 127.0.0.1:\(port) for"))
      let second = try NodeProcess(
        server: server, ["--port", "\(port)", "-n", "wren", "--set", "/loop/gain=-11"])
      #expect(terminal.shows("wren") && terminal.shows("-11.0   chain"))
      #expect(terminal.wait { !$0.lines.contains { $0.contains("no reply") } })
      // It was subscribed again, so it receives changes, too.
      let phone = try Phone(port: port)
      phone.send("/loop/gain", .float(-13))
      #expect(terminal.shows("-13.0   chain"))
      terminal.type("\u{1B}")
      #expect(terminal.awaitEnd() == 0)
      #expect(terminal.output.hasSuffix(Self.closing))
      #expect(second.end() == 0)
    }

    @Test(.hangLimit)
    func `it sends the node a few messages per second`() throws {
      let (_, node, phone) = try startNode()
      let terminal = try PseudoTerminal(["watch", "--to", Self.place(node)])
      #expect(terminal.shows("clients  1"))
      let start = Date()
      let before = try #require(phone.ask("/status/messages")?.arguments.first?.number)
      #expect(!terminal.wait(seconds: 3) { _ in false })
      let after = try #require(phone.ask("/status/messages")?.arguments.first?.number)
      // Two per second; one of this test's own, and some at the edges of the interval.
      #expect(after - before <= 2 * Date().timeIntervalSince(start) + 4)
      #expect(node.end() == 0)
    }

    // MARK: - The line of `syrinx run`

    @Test(.hangLimit)
    func `run shows a status line on a terminal, below its messages`() throws {
      let server = try JackServer()
      let folder = try TemporaryFolder()
      let terminal = try PseudoTerminal(
        ["run", "--server", server.name, "--home", folder.path("home"), "--port", "0"],
        columns: 200, environment: ["XDG_RUNTIME_DIR": folder.path("")])
      #expect(terminal.shows("ready name=syrinx"))
      #expect(terminal.wait { $0.lines.contains { $0.hasPrefix("in ") && $0.contains("start") } })
      let line = try #require(terminal.picture.lines.last { $0.hasPrefix("in ") })
      for words in ["-inf", "out ", "load ", "xruns ", "clients 0"] {
        #expect(line.contains(words), "\(words)")
      }
      let ready = try #require(terminal.picture.lines.first { $0.hasPrefix("ready ") })
      let url = try #require(ready.firstMatch(of: /127\.0\.0\.1:(\d+)/))
      let phone = try Phone(port: try #require(UInt16(url.1)))
      phone.send("/player/record")
      #expect(terminal.wait { $0.lines.contains { $0.contains("recording") } })
      phone.send("/subscribe", .string("/mute"))
      #expect(terminal.shows("clients 1"))
      // Messages are above it, complete, and the line is below them, once. Xruns have messages of their own.
      server.kill()
      #expect(terminal.shows("SERVER GONE"))
      #expect(terminal.wait { $0.lines.contains { $0.hasPrefix("syrinx: ") } })
      let lines = terminal.picture.lines.filter { !$0.isEmpty }
      #expect(lines.count { $0.contains("load ") } == 1 && lines.last!.contains("load "))
      #expect(lines.contains(ready))
      // A narrower terminal has a shorter one.
      terminal.resize(columns: 40, rows: 24)
      #expect(terminal.wait { $0.lines.contains { $0.contains("SERVER GONE") } })
      #expect(!terminal.picture.hasOverflown)
      terminal.type("\u{3}")
      #expect(terminal.awaitEnd() == 0)
      // No part of it remains.
      #expect(!terminal.picture.lines.contains { $0.contains("SERVER GONE") })
    }

    @Test(.hangLimit)
    func `without a terminal, run shows no status line`() throws {
      let (server, node, phone) = try startNode()
      phone.send("/player/record")
      #expect(phone.sync())
      letPass(seconds: 0.4, "the line would be shown by then")
      #expect(node.end() == 0)
      #expect(!node.errors.contains("\u{1B}") && !node.errors.contains("load "))
      let folder = try TemporaryFolder()
      let terminal = try PseudoTerminal(
        ["run", "--server", server.name, "--home", folder.path("home"), "--port", "0"],
        environment: ["XDG_RUNTIME_DIR": folder.path(""), "TERM": "dumb"])
      #expect(terminal.shows("ready name="))
      #expect(!terminal.wait(seconds: 0.5) { $0.lines.contains { $0.contains("load ") } })
      terminal.type("\u{3}")
      #expect(terminal.awaitEnd() == 0)
      #expect(!terminal.output.contains("\u{1B}"))
    }
  }
}
