import Control
import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  @Suite struct CommandLineTests {
    private static let snapshots = Project.file("Tests/NodeTests/Snapshots")

    /// Compares with the stored snapshot.
    ///
    /// With SYRINX_WRITE_SNAPSHOTS set it writes the snapshot instead, to be reviewed before it is
    /// committed.
    private func check(_ text: String, against name: String) throws {
      let file = Self.snapshots.appendingPathComponent(name)
      if ProcessInfo.processInfo.environment["SYRINX_WRITE_SNAPSHOTS"] != nil {
        try text.write(to: file, atomically: true, encoding: .utf8)
      }
      let kept = try String(contentsOf: file, encoding: .utf8)
      #expect(text == kept, "\(name) differs; see Tests/NodeTests/Snapshots")
    }

    @Test(arguments: [""] + CompletionTests.commands)
    func `help pages match their snapshots`(command: String) throws {
      let result = try NodeProcess.run((command.isEmpty ? [] : [command]) + ["--help"])
      #expect(result.code == 0 && result.errors.isEmpty)
      #expect(try NodeProcess.run(["help"] + (command.isEmpty ? [] : [command])) == result)
      try check(result.output, against: "help\(command.isEmpty ? "" : "-" + command).txt")
      #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test(arguments: ["", "--json", "--markdown"])
    func `addresses match their snapshots`(form: String) throws {
      let result = try NodeProcess.run(["addresses"] + (form.isEmpty ? [] : [form]))
      #expect(result.code == 0)
      try check(
        result.output, against: "addresses\(form.replacingOccurrences(of: "--", with: ".")).txt")
    }

    @Test func `the JSON form is valid, and has the same content as the table`() throws {
      let result = try NodeProcess.run(["addresses", "--json"])
      let list = try #require(
        try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
      #expect(list.map { $0["address"] as? String } == AddressTable.node.addresses.map(\.path))
      #expect(list.first { $0["address"] as? String == "/live/gain" }?["max"] as? Int == 24)
    }

    @Test func `the reference page in the documentation is the table`() throws {
      let page = Project.file("Sources/syrinx/Documentation.docc/Addresses.md")
      var text = try String(contentsOf: page, encoding: .utf8)
      let table = Reference.markdown(AddressTable.node.addresses)
      if ProcessInfo.processInfo.environment["SYRINX_WRITE_SNAPSHOTS"] != nil,
        let start = text.range(of: "| Address |")
      {
        text = text[..<start.lowerBound] + table
        try text.write(to: page, atomically: true, encoding: .utf8)
      }
      #expect(text.hasSuffix(table))
    }

    @Test func `every command prints the version, and the commit if it is known`() throws {
      // The commit is known if a script has built the program.
      let line = /syrinx (\S+)(?: \([0-9a-f]{12}(?:-dirty)? \d{4}-\d\d-\d\d\))?\n/
      for command in [[]] + CompletionTests.commands.map({ [$0] }) {
        let result = try NodeProcess.run(command + ["--version"])
        #expect(result.output.wholeMatch(of: line)?.1 == Substring(Version.text))
        #expect(result.code == 0)
      }
    }

    @Test(arguments: [
      ["jump"], ["--nothing"], ["run", "--port", "70000"], ["run", "--port"], ["run", "x"],
      ["run", "--listen", "everywhere"], ["run", "--allow", "10.0.0.0/33"],
      ["run", "--allow", "host"], ["run", "--feedback", "127.0.0.1"],
      ["run", "--feedback", "192.0.2.1:9000"], ["run", "--set", "/live/gain=99"],
      ["run", "--set", "nonsense"], ["run", "-n", "a:b"], ["run", "-n", "x", "-s", "x"],
      ["run", "-n", ""], ["send"],
      ["send", "live"], ["send", "--wait", "x", "/ping"], ["send", "--to", "nowhere", "/ping"],
      ["send", "-", "x"], ["status", "x"], ["status", "--to", "::1:x"],
      ["watch", "x"], ["watch", "--to", "nowhere"], ["watch", "--seconds", "soon"],
      ["addresses", "x"], ["addresses", "--json", "--markdown"], ["doctor", "x"], ["layout"],
      ["layout", "touchosc"], ["layout", "lemur", "x"], ["layout", "touchosc", "x", "y"],
      ["layout", "touchosc", "-", "--size", "watch"],
      ["layout", "touchosc", "-", "--receive-port", "0"],
      ["layout", "open-stage-control", "-", "--xml"],
    ])
    func `wrong usage is one line and exit code 64`(arguments: [String]) throws {
      let home = NSTemporaryDirectory() + "syrinx-usage-\(UUID().uuidString)"
      let result = try NodeProcess.run(
        arguments + (arguments.first == "run" ? ["--home", home] : []))
      #expect(result.code == 64)
      #expect(result.output.isEmpty)
      let lines = result.errors.split(separator: "\n")
      #expect(lines.filter { !$0.contains("memory is not locked") }.count == 1, "\(lines)")
    }

    @Test func `a layout is written completely, or not at all`() throws {
      let folder = NSTemporaryDirectory() + "syrinx-layout-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let file = folder + "/syrinx.tosc"
      #expect(try NodeProcess.run(["layout", "touchosc", file, "--size", "tablet"]).code == 0)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      #expect(bytes.prefix(2) == Data([0x78, 0x9C]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["syrinx.tosc"])
      // In a missing folder, at the path of a folder, and on a full disk.
      for place in [folder + "/none/x.tosc", folder, "/dev/full"] {
        let refused = try NodeProcess.run(["layout", "touchosc", place])
        #expect(refused.code == 73 && refused.errors.contains(place), "\(refused.errors)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["syrinx.tosc"])
      let xml = try NodeProcess.run(["layout", "touchosc", "-", "--xml", "--receive-port", "9001"])
      #expect(xml.code == 0 && xml.output.contains("receivePort = 9001,"))
      let session = try NodeProcess.run(["layout", "open-stage-control", "-"])
      #expect(try JSONSerialization.jsonObject(with: Data(session.output.utf8)) is [String: Any])
    }

    @Test func `an unusable data directory is exit code 73`() throws {
      let result = try NodeProcess.run(["run", "--home", "/proc/nowhere", "--port", "0"])
      #expect(result.code == 73)
      #expect(result.errors.contains("/proc/nowhere"))
    }

    @Test(.hangLimit)
    func `send prints the replies, and its exit code is the message's result`() throws {
      let (_, node, _) = try startNode()
      func send(_ words: String...) throws -> (code: Int32, output: String, errors: String) {
        try NodeProcess.run(["send", "--to", "127.0.0.1:\(node.port)"] + words)
      }
      #expect(try send("/live/gain", "-6") == (0, "", ""))
      #expect(try send("/live/gain") == (0, "/live/gain -6\n", ""))
      #expect(try send("/live/gain", "f:-6.5") == (0, "", ""))
      #expect(try send("/live/route", "direct") == (0, "", ""))
      #expect(try send("/l*/route").output == "/live/route direct\n/loop/route chain\n")
      #expect(try send("/mute", "T") == (0, "", ""))
      #expect(try send("/mute").output == "/mute 1\n")
      #expect(try send("/live/gain", "99").code == 64)
      #expect(
        try send("/live/gain", "s:5").errors
          == "syrinx: type: /live/gain: got \"5\"; expected one number (-90 to 24 dB), or none to query\n"
      )
      #expect(try send("/nothing").code == 64)
      // The start of an identifier, though it looks like a number.
      #expect(try send("/take/show", "1234").code == 66)
      // Disk operations are waited for, and their result is the exit code.
      #expect(try send("/preset/save", "s:mine") == (0, "/reply /preset/save mine\n", ""))
      let obstacle = node.folder.appendingPathComponent("home/presets/blocked.json/x")
      try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
      #expect(try send("/preset/save", "blocked").code == 73)
      #expect(try send("--wait", "2", "/subscribe", "/mute").output == "/mute 1\n")
      #expect(try send("--wait", "0", "/mute", "0") == (0, "", ""))
      #expect(node.end() == 0)
      #expect(try send("/ping").code == 69)
    }

    @Test(.hangLimit)
    func `the doctor reports what stops the node, and exits with its code`() throws {
      let server = try JackServer()
      let home = NSTemporaryDirectory() + "syrinx-doctor-\(UUID().uuidString)"
      let well = try NodeProcess.run(
        ["doctor", "--server", server.name, "--port", "0", "--home", home])
      #expect(well.code == 0)
      #expect(well.output.contains("JACK server at 48000 Hz, 64 frames per buffer"))
      #expect(!FileManager.default.fileExists(atPath: home), "it creates nothing")
      let node = try NodeProcess(server: server)
      let busy = try NodeProcess.run(
        ["doctor", "--server", server.name, "--port", "\(node.port)", "--home", home])
      #expect(
        busy.code == 0 && busy.output.contains("is already running on port \(node.port)"))
      #expect(node.end() == 0)
      let alone = try NodeProcess.run(["doctor", "--server", "none", "--port", "0"])
      #expect(alone.code == 69 && alone.output.contains("no JACK server named none"))
      let homeless = try NodeProcess.run(
        ["doctor", "--server", server.name, "--port", "0", "--home", "/proc/nowhere"])
      #expect(homeless.code == 73)
    }

    @Test(.hangLimit)
    func `the doctor's findings are also JSON, with the same exit code`() throws {
      let server = try JackServer()
      let home = NSTemporaryDirectory() + "syrinx-doctor-\(UUID().uuidString)"
      let words = ["doctor", "--port", "0", "--home", home, "--server"]
      let well = try NodeProcess.run(words + [server.name, "--json"])
      #expect(well.code == 0 && well.errors.isEmpty)
      let checks = try jsonObjects(well.output)
      #expect(
        checks.map { $0["check"] as? String } == [
          "server", "realtime", "memory", "governor", "port", "home", "runtime", "avahi",
        ])
      let lines = try NodeProcess.run(words + [server.name]).output.split(separator: "\n")
      for check in checks {
        let (state, what) = (check["state"] as? String ?? "", check["what"] as? String ?? "")
        // The load of the server may have changed.
        #expect(
          lines.contains { $0.hasPrefix("\(state) ") && $0.hasSuffix(what) }
            || check["check"] as? String == "server")
        let advice = check["advice"] as? [String]
        #expect(advice?.allSatisfy { line in lines.contains { $0.hasSuffix("→ \(line)") } } == true)
      }
      let alone = try NodeProcess.run(words + ["none", "--json"])
      #expect(alone.code == 69 && alone.errors == "syrinx: the node can't run\n")
      #expect(try jsonObjects(alone.output).first?["state"] as? String == "stop")
    }
  }
}
