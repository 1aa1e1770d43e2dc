import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// A data directory that can't be written: the node plays all the same.
  @Suite struct ReadOnlyHomeTests {
    /// The result of a command: the code of its error, or nil if it was done.
    private func fault(_ phone: Phone, _ address: String, _ arguments: Argument...) -> String? {
      phone.send(bytes: [UInt8](address: address, arguments))
      let all = phone.receive(untilOneOf: ["/reply", "/error"])
      guard let last = all.last, last.address == "/error" else { return nil }
      #expect(last.arguments.last?.text?.contains("\n") == false)
      return last.arguments.dropFirst().first?.text
    }

    private func state(_ phone: Phone, _ loop: Int) -> String? {
      phone.ask("/loop/\(loop)/state")?.arguments.first?.text
    }

    private func record(_ phone: Phone, _ loop: Int) throws {
      phone.send("/loop/\(loop)/record")
      try phone.awaitLength(0.3, ofLoop: loop)
      phone.send("/loop/\(loop)/record")
      phone.send("/loop/\(loop)/stop")
      #expect(phone.sync())
      try waitUntil("loop \(loop) is recorded") { state(phone, loop) == "stopped" }
    }

    @Test(
      .enabled(if: geteuid() == 0, "mounting a small disk requires root"),
      .hangLimit)
    func `it plays with what it can read, says so in one line, and saves when it can`() throws {
      guard let disk = try SmallDisk(megabytes: 8) else {
        withKnownIssue("a small disk can't be mounted here") { Issue.record("no mount") }
        return
      }
      let server = try JackServer()
      let home = disk.path + "/home"
      var (node, phone) = try startNode(on: server, home: home)
      try record(phone, 1)
      #expect(fault(phone, "/take/save", .string("Owl")) == nil)
      phone.send("/settings/autoplay", .int32(1))
      phone.send("/loop/2/gain", .float(-3))
      #expect(phone.sync())
      #expect(phone.ask("/status/saving")?.arguments == [.string("on")])
      #expect(node.end() == 0)
      #expect(disk.setReadOnly(true))

      (node, phone) = try startNode(on: server, home: home)
      let lines = node.errors.split(separator: "\n").filter {
        $0.contains("nothing is saved, because the data directory \(home) can't be written")
          || $0.contains("not kept") || $0.contains("can't be opened")
      }
      #expect(lines.count == 1 && lines[0].contains("Read-only file system"), "\(lines)")
      #expect(phone.ask("/status/saving")?.arguments == [.string("off")])
      #expect(state(phone, 1) == "stopped")
      #expect(phone.ask("/loop/2/gain")?.arguments == [.float(-3)])
      #expect(phone.ask("/settings/autoplay")?.arguments == [.int32(1)])
      #expect(phone.ask("/takes/total")?.arguments == [.int32(1)])
      for (address, name) in [
        ("/take/save", "Barn owl"), ("/preset/save", "mine"), ("/scene/save", "one"),
        ("/loops/save", "evening"),
      ] {
        #expect(fault(phone, address, .string(name)) == "io", "\(address)")
      }
      try record(phone, 3)

      #expect(disk.setReadOnly(false))
      #expect(fault(phone, "/preset/save", .string("mine")) == nil)
      #expect(fault(phone, "/take/save", .string("Barn owl")) == nil)
      phone.send("/loop/2/gain", .float(-4))
      let journal = home + "/loops/syrinx/journal"
      let former = try #require(try? Data(contentsOf: URL(fileURLWithPath: journal))).count
      try waitUntil("the loops are saved again", every: 0.2) {
        ((try? Data(contentsOf: URL(fileURLWithPath: journal)))?.count ?? 0) > former + 30_000
      }
      try waitUntil("/status/saving is on") {
        phone.ask("/status/saving")?.arguments == [.string("on")]
      }
      #expect(node.end() == 0)
      (node, phone) = try startNode(on: server, home: home)
      #expect((1...4).map { state(phone, $0) } == ["stopped", "empty", "stopped", "empty"])
      #expect(phone.ask("/loop/2/gain")?.arguments == [.float(-4)])
      #expect(phone.ask("/takes/total")?.arguments == [.int32(2)])
      #expect(node.end() == 0)
    }

    @Test func `a file where the data directory should be is exit code 73`() throws {
      let folder = try TemporaryFolder()
      try Data().write(to: URL(fileURLWithPath: folder.path("file")))
      for home in [folder.path("file"), folder.path("file/home")] {
        let result = try NodeProcess.run(["run", "--home", home, "--port", "0"])
        #expect(result.code == 73 && result.errors.contains(home), "\(result)")
      }
    }
  }
}
