import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// `syrinx send` and `syrinx status` with a running node.
  @Suite struct SendTests {
    private let node: NodeProcess
    private let server: JackServer

    init() throws {
      server = try JackServer()
      node = try NodeProcess(server: server)
    }

    private func send(
      _ arguments: String..., lines: String? = nil
    ) throws -> (code: Int32, output: String, errors: String) {
      try NodeProcess.run(
        ["send", "--to", "\(node.port)"] + arguments, input: lines.map { Data($0.utf8) })
    }

    @Test(.hangLimit)
    func `every notation of an endpoint reaches the node`() throws {
      let port = node.port
      let places = [
        "127.0.0.1:\(port)", "\(port)", "osc.udp://127.0.0.1:\(port)",
        "osc.udp://127.0.0.1:\(port)/",
        "osc.tcp://127.0.0.1:\(port)", "[::1]:\(port)", "osc.udp://[::1]:\(port)",
        "localhost:\(port)", try #require(node.ready["osc"]),
      ]
      for place in places {
        let result = try NodeProcess.run(["send", "--to", place, "/mute"])
        #expect(result == (0, "/mute 0\n", ""), "\(place)")
        let variable = try NodeProcess.run(["send", "/mute"], environment: ["SYRINX_TO": place])
        #expect(variable == (0, "/mute 0\n", ""), "\(place)")
      }
      #expect(
        try NodeProcess.run(["send", "--to", "\(port)", "/mute"], environment: ["SYRINX_TO": "x"])
          .code == 0)
      #expect(try NodeProcess.run(["watch", "--to", "osc.tcp://127.0.0.1:\(port)"]).code == 0)
      #expect(node.end() == 0)
    }

    @Test(arguments: [
      "", "0", "70000", "localhost", ":8000", "a:b", "::1:x", "[::1]x:1", "udp://a:1",
    ])
    func `an invalid endpoint is reported as it was typed`(place: String) throws {
      let result = try NodeProcess.run(["send", "--to", place, "/ping"])
      #expect(result.code == 64)
      #expect(
        result.errors.contains("--to takes the name of a node, HOST:PORT, a port, or the URL"))
      #expect(result.errors.contains("got \"\(place)\""))
      guard !place.isEmpty else { return }
      let variable = try NodeProcess.run(["watch"], environment: ["SYRINX_TO": place])
      #expect(
        variable.code == 64
          && variable.errors.contains("SYRINX_TO takes the name of a node, HOST:PORT"))
    }

    @Test(.hangLimit)
    func `lines are sent in order over one port, and the replies printed`() throws {
      let result = try send(
        "-",
        lines: """
          # what stands here is left out

          /live/gain -6
            /live/gain
          /preset/save "Owl by the \\"lake\\""
          /preset/save plain
          /mute 1
          /mute
          """)
      #expect(
        Set(result.output.split(separator: "\n")) == [
          "/live/gain -6", "/reply /preset/save \"Owl by the \\\"lake\\\"\"",
          "/reply /preset/save plain", "/mute 1",
        ])
      #expect(result.errors.isEmpty && result.code == 0)
      // The output can be sent again.
      let notes = try send("/feed/name", "first\nsecond", "--wait", "0")
      #expect(notes.code == 0)
      #expect(try send("/feed/name").output == "/feed/name \"first\\nsecond\"\n")
      #expect(try send("-", lines: "/feed/name \"a\\nb\"\n/feed/name").output.contains("\"a\\nb\""))
      let again = try send("-", lines: "/preset \"Owl by the \\\"lake\\\"\"\n/preset")
      #expect(again.output.contains("/preset \"Owl by the \\\"lake\\\"\"\n") && again.code == 0)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a bundle takes effect at its time, completely or not at all`() throws {
      let phone = try Phone(port: node.port)
      phone.send("/subscribe", .string("/live/gain"))
      #expect(phone.receive("/live/gain")?.arguments == [.float(0)])
      let start = HostTime.steady
      #expect(try send("-", lines: "[+1.5\n/live/gain -12\n/mute 1\n]\n") == (0, "", ""))
      #expect(phone.ask("/live/gain")?.arguments == [.float(0)])
      #expect(phone.receive("/live/gain")?.arguments == [.float(-12)])
      #expect(HostTime.steady - start > 1.4e6)
      #expect(try send("/mute").output == "/mute 1\n")
      // A refused message cancels the rest of its bundle.
      let wrong = try send("-", lines: "[\n/live/gain -3\n/loop/gain 99\n]\n")
      #expect(wrong.code == 64 && wrong.errors.contains("/loop/gain: 99 is out of range"))
      #expect(wrong.errors.hasSuffix("syrinx: 1 message was refused\n"))
      let past = "[@\(Int(HostTime.wall / 1e6) - 10)\n/live/gain -1\n]"
      #expect(try send("-", lines: past) == (0, "", ""))
      #expect(try send("/live/gain").output == "/live/gain -1\n")
      #expect(try send("/status/late").output != "/status/late 0\n")
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `many lines are sent like one`() throws {
      let lines = (0..<2000).map { "/live/gain -\($0 % 60)" }.joined(separator: "\n")
      #expect(try send("-", lines: lines + "\n/live/gain") == (0, "/live/gain -19\n", ""))
      let count = try send("/status/messages").output.dropLast().split(separator: " ").last
      #expect(count.flatMap { Int($0) } ?? 0 > 2000)
      #expect(node.end() == 0)
    }

    @Test(arguments: [
      ("/mute 1\nmute 1\n", "line 2: an address starts with /; got \"mute\""),
      ("/preset \"a b\n", "line 1: missing closing quote after \"a b\""),
      ("/preset \"a\"b\n", "line 1: expected a space after the quote of \"a\""),
      ("[\n[\n", "line 2: bundles can't be nested"),
      ("\n]\n", "line 2: ] without a bundle"),
      ("\n[+1\n/mute 1\n", "line 2: missing ] at the end of the bundle"),
      ("[soon\n", "line 1: a bundle starts with [ alone, [+SECONDS from now"),
      ("[+-1\n", "got \"[+-1\""),
    ])
    func `an invalid line ends it with its number`(lines: String, fault: String) throws {
      let result = try send("-", lines: lines)
      #expect(result.code == 64 && result.errors.contains(fault), "\(result.errors)")
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `JSON replies are one object per line`() throws {
      #expect(try send("/preset/save", "Owl by the lake").code == 0)
      #expect(try send("/preset", "Owl by the lake").code == 0)
      let lines = try send("--json", "-", lines: "/live/gain\n/live/route\n/preset\n").output
        .split(separator: "\n")
      #expect(
        lines == [
          #"{"address":"/live/gain","arguments":[0]}"#,
          #"{"address":"/live/route","arguments":["chain"]}"#,
          #"{"address":"/preset","arguments":["Owl by the lake"]}"#,
        ])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `status prints every value by its name`() throws {
      let result = try NodeProcess.run(["status", "--to", "\(node.port)"])
      let rows = result.output.split(separator: "\n").map {
        $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
      }
      #expect(result.code == 0 && result.errors.isEmpty)
      #expect(rows.prefix(4).map { Array($0.prefix(2)) }[0] == ["name", "syrinx"])
      #expect(rows.contains { $0.prefix(3) == ["rate", "48000", "Hz"] })
      #expect(rows.contains { $0.prefix(3) == ["block", "64", "frames"] })
      #expect(rows.contains { $0.prefix(2) == ["server", "running"] })
      // All help texts start in one column.
      let lines = result.output.split(separator: "\n")
      let columns = [
        ("Hz", "Sample rate"), ("frames", "Buffer size"), ("", "Number of subscribers"),
      ]
      .compactMap { _, help in lines.first { $0.contains(help) }?.range(of: help) }
      .map(\.lowerBound)
      #expect(columns.count == 3)
      let json = try NodeProcess.run(["status", "--json", "--to", "\(node.port)"]).output
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
      #expect(object["rate"] as? Int == 48_000 && object["server"] as? String == "running")
      #expect(object.count == rows.count)
      #expect(node.end() == 0)
      let gone = try NodeProcess.run(["status", "--to", "\(node.port)"])
      #expect(gone.code == 69 && gone.errors.contains("is a node running there?"))
    }

    @Test(.hangLimit)
    func `doctor reports a healthy node`() throws {
      let result = try NodeProcess.run([
        "doctor", "-s", server.name, "-p", "\(node.port)", "--home", node.home,
      ])
      #expect(result.code == 0 && result.errors.isEmpty)
      #expect(result.output.contains("ok    the node \"syrinx\", version"))
      #expect(result.output.contains("is already running on port \(node.port)\n"))
      #expect(!result.output.contains("stop"))
      #expect(node.end() == 0)
      let other = try Socket(.datagrams, boundTo: Endpoint(address: .loopback4, port: 0))
      let taken = try NodeProcess.run([
        "doctor", "-s", server.name, "-p", "\(other.port)", "--home", node.home,
      ])
      #expect(taken.code == 69 && taken.output.contains("is in use by another program"))
    }
  }
}
