import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// Several nodes on one machine, which find each other without Avahi.
  @Suite struct RigTests {
    private let server: JackServer
    private let first: NodeProcess
    private let second: NodeProcess
    private let phone: Phone
    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      server = try JackServer(block: 256)
      let environment = ["XDG_RUNTIME_DIR": folder.path("run")]
      (first, phone) = try startNode(
        on: server, ["--name", "stage"], environment: environment)
      second = try startNode(on: server, ["--name", "choir"], environment: environment).node
    }

    private func run(
      _ arguments: String..., lines: String? = nil
    ) throws -> (code: Int32, output: String, errors: String) {
      try NodeProcess.run(
        arguments, environment: ["XDG_RUNTIME_DIR": folder.path("run")],
        input: lines.map { Data($0.utf8) }
      )
    }

    /// The rows of `syrinx rig` with these names: nodes outside of the test may be announced.
    private func rows() throws -> [[String]] {
      try run("rig").output.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }.filter { ["stage", "choir"].contains($0[0]) }
    }

    @Test(.hangLimit)
    func `the nodes of a machine are listed with their states`() throws {
      phone.send("/scene/save", .string("verse"))
      #expect(phone.receive("/reply")?.arguments[0] == .string("/scene/save"))
      phone.send("/scene", .string("verse"))
      #expect(phone.receive("/reply")?.arguments[0] == .string("/scene"))
      let rows = try rows()
      #expect(rows.map { $0[0] } == ["choir", "stage"])
      let stage = try #require(rows.last)
      #expect(stage.count == 8)
      #expect(stage[2] == "127.0.0.1:\(first.port)")
      #expect(Double(stage[3]) != nil && Int(stage[4]) != nil)
      #expect(stage[5] == "running" && stage[6] == "verse")
      #expect(rows[0][6] == "")
      // The kernel's statement, which may change from moment to moment.
      #expect(stage[7] == "none" || Double(stage[7]) != nil)
      let objects = try run("rig", "--json").output
      #expect(objects.contains("\"scene\":\"verse\""))
      // A node lists the same.
      phone.send("/rig")
      let replies = phone.receive(untilOneOf: ["/rig/end"])
      let nodes = replies.filter { $0.address == "/node" }.map(\.arguments)
      #expect(replies.last?.arguments == [.int32(Int32(nodes.count))])
      let own = nodes.filter { [.string("stage"), .string("choir")].contains($0[0]) }
      #expect(own.map { $0[0] } == [.string("choir"), .string("stage")])
      #expect(own.allSatisfy { $0.count == 6 && $0[4] == .string("running") })
      #expect(own.last?[5] == .string("verse"))
    }

    @Test(.hangLimit)
    func `a node that has no file and is not announced lists itself`() throws {
      let files = folder.path("run/syrinx")
      for file in Files.names(in: files) { Files.remove("\(files)/\(file)") }
      #expect(try rows().isEmpty)
      phone.send("/rig")
      let names = phone.receive(untilOneOf: ["/rig/end"]).map { $0.arguments[0] }
      #expect(names.contains(.string("stage")) && !names.contains(.string("choir")))
    }

    @Test(.hangLimit)
    func `a killed node is not listed, and a node that lost its server is gone`() throws {
      second.kill()
      #expect(try rows().map { $0[0] } == ["stage"])
      #expect(try run("send", "--to", "choir", "/mute").code == 64)
      server.kill()
      try waitUntil("the server is gone") {
        try run("rig", "--json").output.contains("\"server\":\"gone\"")
      }
    }

    @Test(.hangLimit)
    func `messages go to the node with a name, or to all`() throws {
      #expect(try run("send", "--to", "choir", "/live/gain", "-6").code == 0)
      #expect(try run("send", "--to", "choir", "/live/gain").output == "/live/gain -6\n")
      #expect(try run("send", "--to", "stage", "/live/gain").output == "/live/gain 0\n")
      #expect(try run("status", "--to", "choir").output.contains("choir"))
      #expect(try run("send", "--to", "all", "/live/gain", "-3").code == 0)
      let all = try run("send", "--to", "all", "/live/gain").output.split(separator: "\n")
      #expect(Set(all).isSuperset(of: ["choir: /live/gain -3", "stage: /live/gain -3"]))
      let json = try run("send", "--to", "all", "--json", "/live/gain").output
      #expect(json.contains(#"{"node":"choir","address":"/live/gain","arguments":[-3]}"#))
      // A refusal is reported for each.
      let refused = try run("send", "--to", "all", "/live/gain", "99")
      #expect(refused.code == 64)
      for name in ["choir", "stage"] { #expect(refused.errors.contains("\(name): ")) }
      let waited = try run("send", "--to", "all", "--wait", "0.3", "/mute")
      #expect(waited.output.contains("choir: /mute 0") && waited.output.contains("stage: /mute 0"))
    }

    @Test(.hangLimit)
    func `the error for an unknown name lists the nodes found`() throws {
      let result = try run("send", "--to", "quire", "/mute")
      #expect(result.code == 64)
      #expect(result.errors.contains("choir, ") || result.errors.contains(", stage"))
      #expect(result.errors.contains("got \"quire\""))
      #expect(try run("status", "--to", "all").code == 64)
    }

    @Test(.hangLimit)
    func `a bundle with a time takes effect on all nodes at the same time`() throws {
      let ears = [
        try Probe(server: server.name),
        try Probe(server: server.name, playerName: "other player", hearerName: "other hearer"),
      ]
      for (ear, name) in zip(ears, ["stage", "choir"]) { try ear.hear("\(name):out_1") }
      #expect(try run("send", "--to", "all", "/grid/instrument", "organ").code == 0)
      try ears[0].pass(seconds: 2, "the smoothed clocks settle")
      var apart: [Int] = []
      for _ in 0..<8 {
        var other: Probe.Recording?
        let heard = try ears[0].record {
          other = try ears[1].record {
            let result = try run("send", "--to", "all", "-", lines: "[+0.3\n/note/on 60 0.8\n]\n")
            #expect(result.code == 0, "\(result.errors)")
            try ears[1].pass(seconds: 0.4, "the note begins after 0.3 s")
          }
        }
        let onsets = [heard, try #require(other)].map { recording in
          recording.samples.firstIndex { $0 != 0 }.map { Int(recording.start) + $0 }
        }
        let begin = try #require(onsets[0])
        apart.append(abs(begin - (try #require(onsets[1]))))
        // Sent after the recording began, and due 0.3 s later; each node maps that to a frame.
        #expect(begin - Int(heard.start) > 14_400 - 480)
        #expect(try run("send", "--to", "all", "/note/allOff").code == 0)
        for ear in ears { try ear.awaitBlock("it is silent") { $0.allSatisfy { $0 == 0 } } }
      }
      print("a timed bundle to two nodes began \(apart) frames apart")
      // Each node maps the time to frames by its own smoothed readings of one clock, which are off while the
      // machine is busy. `scripts/rigs machines` measures them on an idle one.
      #expect(apart.sorted()[4] <= 480, "\(apart)")
      for ear in ears { ear.close() }
    }
  }
}
