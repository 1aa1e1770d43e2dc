import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The causes of lost sound, with a real server.
  @Suite struct LostTests {
    /// Waits until the node has found a cause, and returns its entry.
    private func awaitCause(_ cause: String, _ phone: Phone) throws -> [Argument] {
      var entry: [Argument]?
      try waitUntil("the cause is \(cause)", every: 0.05) {
        phone.send("/status/lost")
        entry = phone.receive(untilOneOf: ["/lost/end"]).map(\.arguments).first {
          $0.count == 4 && $0[2] == .string(cause)
        }
        return entry != nil
      }
      return try #require(entry)
    }

    /// Waits until the node has played past the time in which xruns don't count.
    private func awaitJoined(_ phone: Phone) throws {
      try phone.pass(seconds: 1.5, "xruns of joining don't count")
    }

    @Test(.hangLimit)
    func `a stopped node knows that it was stopped`() throws {
      let (_, node, phone) = try startNode(block: 256)
      try awaitJoined(phone)
      kill(node.id, SIGSTOP)
      letPass(seconds: 0.4, "the node is stopped")
      kill(node.id, SIGCONT)
      let entry = try awaitCause("stopped", phone)
      #expect(try #require(entry[1].number) > 100)
      let place = "127.0.0.1:\(node.port)"
      let result = try NodeProcess.run(["lost", "--to", place])
      #expect(result.code == 0)
      #expect(
        result.output.split(separator: "\n").contains { line in
          let fields = line.split(separator: "\t")
          return fields.count == 4 && fields[2] == "stopped"
            && fields[3].hasPrefix("the node ") && fields[3].contains("stopped")
        })
      let objects = try NodeProcess.run(["lost", "--to", place, "--json"]).output
      #expect(
        objects.contains("\"cause\": \"stopped\"") || objects.contains("\"cause\":\"stopped\""))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a stopped server is the cause, and subscribers are told`() throws {
      let (server, node, phone) = try startNode(block: 256)
      try awaitJoined(phone)
      let listener = try Phone(port: node.port)
      listener.send("/subscribe", .string("/lost"))
      #expect(listener.sync())
      server.send(signal: SIGSTOP)
      letPass(seconds: 1, "the server is stopped")
      server.send(signal: SIGCONT)
      let told = listener.receive {
        $0.contains { $0.arguments.dropFirst(2).first == .string("server") }
      }
      let entry = try #require(told.last?.arguments)
      #expect(told.last?.address == "/lost" && entry.count == 4)
      #expect(try #require(entry[1].number) > 500)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `without a node the command ends with 69`() throws {
      let result = try NodeProcess.run(["lost", "--to", "127.0.0.1:9"])
      #expect(result.code == 69 && result.output.isEmpty)
    }

    @Test(.hangLimit)
    func `a count out of range is refused`() throws {
      for count in ["0", "101", "x"] {
        let result = try NodeProcess.run(["lost", "--count", count])
        #expect(result.code == 64 && result.errors.contains("--count"), "\(count)")
      }
    }
  }
}
