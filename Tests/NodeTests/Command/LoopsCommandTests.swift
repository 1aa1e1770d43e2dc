import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The command `syrinx loops`.
  @Suite struct LoopsCommandTests {
    @Test(.hangLimit)
    func `it lists and exports the loops of a node, also from a damaged file`() throws {
      let (server, node, phone) = try startNode()
      phone.send("/loop/2/record")
      try phone.awaitLength(0.5, ofLoop: 2)
      phone.send("/loop/2/record")
      phone.send("/loop/2/stop")
      #expect(phone.sync())
      let seconds = try #require(phone.ask("/loop/2/state")?.arguments[2].number)
      #expect(node.end() == 0)
      _ = server
      let folder = try TemporaryFolder()
      let journal = try Data(
        contentsOf: URL(fileURLWithPath: node.home + "/loops/syrinx/journal"))
      var damaged = journal
      // Not zeros, which silence is made of.
      damaged.replaceSubrange(20_000..<20_512, with: Data(repeating: 0x55, count: 512))
      for (name, bytes) in [("journal", journal), ("journal.bad", damaged)] {
        let path = folder.path(name)
        try bytes.write(to: URL(fileURLWithPath: path))
        let list = try NodeProcess.run(["loops", "list", path])
        #expect(list.code == 0 && list.output.contains("loop 2: "), "\(list)")
        #expect(list.output.contains(" at 48000 Hz, 0 overdubs, step "))
        #expect(list.errors.contains("damaged in 1 place: at most") == (name == "journal.bad"))
        let export = try NodeProcess.run(["loops", "export", path, folder.path("out")])
        #expect(export.code == 0 && export.output.isEmpty)
        let size = try Data(contentsOf: URL(fileURLWithPath: folder.path("out/loop-2.wav"))).count
        // Two channels of 32 bits, and a header.
        #expect(abs(Double(size) - seconds * 48_000 * 8) < 1000)
        #expect(try folder.bytes(name) == bytes)
      }
    }

    @Test func `mistakes have the usual exit codes`() throws {
      let folder = try TemporaryFolder()
      try Data("this is no journal, but longer than a header\n".utf8).write(
        to: URL(fileURLWithPath: folder.path("text")))
      for (words, code) in [
        ([], 64), (["list"], 64), (["find", "x"], 64),
        (["list", folder.path("text"), "--steps"], 64),
        (["list", folder.path("text")], 65), (["list", folder.path("none")], 66),
      ] as [([String], Int32)] {
        let result = try NodeProcess.run(["loops"] + words)
        #expect(result.code == code, "\(words): \(result)")
        #expect(result.errors.split(separator: "\n").count == 1)
      }
    }
  }
}
