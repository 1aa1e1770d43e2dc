import Foundation
import TestSupport
import Testing

extension NodeTests {
  /// The probes themselves: what is wrong with them is wrong with all that is heard by them.
  @Suite struct ProbeTests {
    @Test(.hangLimit)
    func `one that nobody holds any more leaves, whatever its callback is at`() throws {
      let server = try JackServer()
      for _ in 0..<20 {
        // Most of each block it is in there.
        _ = try Probe(server: server.name) { frame in
          if frame % 64 == 0 { letPass(seconds: 0.001, "a callback takes most of its block") }
          return 0.5
        }
        let keyboard = try MIDIProbe(server: server.name)
        for key in 0..<64 as Range<UInt8> { keyboard.play([0x90, key, 1]) }
      }
      // Its clients are gone, and others can come.
      let probe = try Probe(server: server.name)
      #expect(probe.ports(of: "player") == ["player:left", "player:right"])
      #expect(probe.ports(of: "keyboard").isEmpty)
      probe.close()
    }
  }
}
