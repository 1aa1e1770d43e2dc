import Doors
import Posix
import Testing

/// The choice of connections that make room for a new one.
@Suite struct CrowdTests {
  private func room(_ counts: [String: Int], for newcomer: String) -> Set<IPAddress> {
    var peers: [Int: IPAddress] = [:]
    for (address, count) in counts {
      for _ in 0..<count { peers[peers.count] = IPAddress(address) }
    }
    let keys = Crowd.connections(peers, tooManyFor: IPAddress(newcomer)!)
    return Set(keys.compactMap { peers[$0] })
  }

  @Test func `a new address takes room from the one with the most connections`() {
    let counts = ["10.0.0.1": 5, "10.0.0.2": 9, "10.0.0.3": 1]
    #expect(room(counts, for: "10.0.0.4") == [IPAddress("10.0.0.2")!])
    #expect(room(counts, for: "10.0.0.1") == [IPAddress("10.0.0.2")!])
  }

  @Test func `an address with as many takes no room`() {
    #expect(room(["10.0.0.1": 5, "10.0.0.2": 5], for: "10.0.0.1").isEmpty)
    #expect(room(["10.0.0.1": 5, "10.0.0.2": 4], for: "10.0.0.2").isEmpty)
    #expect(room(["10.0.0.1": 9], for: "10.0.0.1").isEmpty)
    #expect(room(["10.0.0.1": 1, "10.0.0.2": 1], for: "10.0.0.3").isEmpty)
    #expect(room([:], for: "10.0.0.1").isEmpty)
  }

  @Test func `an IPv6 network is one address`() {
    let counts = ["2001:db8::1": 1, "2001:db8::2": 1, "2001:db8::3": 1, "2001:db8:0:1::1": 1]
    #expect(room(counts, for: "2001:db8:0:2::1").count == 3)
  }
}
