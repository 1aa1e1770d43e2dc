import Foundation
import TestSupport
import Testing

extension NodeTests {
  /// The probes themselves: their faults would affect everything recorded with them.
  @Suite struct ProbeTests {
    @Test(.hangLimit)
    func `an unreferenced probe leaves, whatever its callback is doing`() throws {
      let server = try JackServer()
      for _ in 0..<20 {
        // The callback takes most of each block.
        _ = try Probe(server: server.name) { frame in
          if frame % 64 == 0 { letPass(seconds: 0.001, "a slow callback") }
          return 0.5
        }
        let keyboard = try MIDIProbe(server: server.name)
        for key in 0..<64 as Range<UInt8> { keyboard.play([0x90, key, 1]) }
      }
      // Its clients have left, and others can join.
      let probe = try Probe(server: server.name)
      #expect(probe.ports(of: "player") == ["player:left", "player:right"])
      #expect(probe.ports(of: "keyboard").isEmpty)
      probe.close()
    }
  }
}
