import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The causes of lost sound, with a real server.
  @Suite struct LostTests {
    /// Waits until the node reports a loss of so many milliseconds, and returns its entry.
    ///
    /// The cause is judged in `VerdictTests`: on a busy machine, others are right, too.
    private func awaitLoss(ofMilliseconds least: Double, _ phone: Phone) throws -> [Argument] {
      var entry: [Argument]?
      try waitUntil("a loss of \(least) ms is reported", every: 0.05) {
        phone.send("/status/lost")
        entry = phone.receive(untilOneOf: ["/lost/end"]).map(\.arguments).first {
          $0.count == 4 && ($0[1].number ?? 0) > least
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
    func `a node that was stopped reports the loss`() throws {
      let (_, node, phone) = try startNode(block: 256)
      try awaitJoined(phone)
      kill(node.id, SIGSTOP)
      letPass(seconds: 0.4, "the node is stopped")
      kill(node.id, SIGCONT)
      let entry = try awaitLoss(ofMilliseconds: 100, phone)
      let cause = try #require(entry[2].text)
      let place = "127.0.0.1:\(node.port)"
      let result = try NodeProcess.run(["lost", "--to", place])
      #expect(result.code == 0)
      #expect(result.output.contains("\t\(cause)\t"))
      let objects = try NodeProcess.run(["lost", "--to", place, "--json"]).output
      #expect(objects.contains("\"\(cause)\""))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `subscribers are told of a server that was stopped`() throws {
      let (server, node, phone) = try startNode(block: 256)
      try awaitJoined(phone)
      let listener = try Phone(port: node.port)
      listener.send("/subscribe", .string("/lost"))
      #expect(listener.sync())
      server.send(signal: SIGSTOP)
      letPass(seconds: 1, "the server is stopped")
      server.send(signal: SIGCONT)
      let told = listener.receive {
        $0.contains { $0.arguments.count == 4 && ($0.arguments[1].number ?? 0) > 500 }
      }
      #expect(told.last?.address == "/lost")
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
