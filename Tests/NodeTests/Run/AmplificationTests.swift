import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// The running node's replies to addresses that may be forged.
  @Suite struct AmplificationTests {
    private static let ownAddress = IPAddress.ofThisMachine.first {
      $0.isVersion4 && !$0.isLoopback
    }

    @Test(.enabled(if: ownAddress != nil, "no network"), .hangLimit)
    func `replies to a remote address are limited, and to this machine are not`() throws {
      let server = try JackServer()
      let node = try NodeProcess(server: server, ["--listen", "lan"])
      let friend = try Phone(port: node.port)
      let stranger = try Phone(port: node.port, host: "\(Self.ownAddress!)")
      let list = friend.countAnswers(to: "/addresses")
      #expect(list > 100)
      var heard = 0
      let start = HostTime.steady
      for _ in 0..<100 {
        stranger.send("/addresses")
        while stranger.receive(seconds: 0.005) != nil { heard += 1 }
      }
      let seconds = (HostTime.steady - start) / 1e6
      // 512 kB at once and 128 kB per second, of at least a hundred bytes each.
      #expect(heard > list && Double(heard) < (524_288 + seconds * 131_072) / 100)
      #expect(heard < 100 * list)
      let refused = friend.ask("/status/refused")?.arguments[0].number ?? 0
      #expect(refused > 0)
      // After some time it receives replies again, and others receive them all along.
      #expect(friend.countAnswers(to: "/addresses") == list)
      let isToldAgain = (0..<50).contains { _ in
        stranger.send("/ping")
        return stranger.receive("/pong", seconds: 0.2) != nil
      }
      #expect(isToldAgain)
      #expect(node.end() == 0)
    }
  }
}

extension Phone {
  /// The number of messages in the reply to a list.
  fileprivate func countAnswers(to path: String) -> Int {
    send(path)
    return receive(untilOneOf: ["\(path)/end"]).count
  }
}
