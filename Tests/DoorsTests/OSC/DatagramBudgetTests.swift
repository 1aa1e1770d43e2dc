import Doors
import Posix
import Testing

/// Limits the replies to addresses that may be forged.
@Suite struct DatagramBudgetTests {
  private let stranger = IPAddress("192.0.2.7")!

  /// The bytes of a datagram flood that are sent to an address between two times in seconds.
  private func sent(
    _ budget: inout DatagramBudget, to address: IPAddress, from start: Double = 0, to end: Double
  ) -> Int {
    var bytes = 0
    for step in Int(start * 1000)..<Int(end * 1000) {
      for _ in 0..<20 where budget.take(100, to: address, now: 1e9 + Double(step) * 1000) {
        bytes += 100
      }
    }
    return bytes
  }

  @Test func `an address gets a burst, then a sustained rate`() {
    var budget = DatagramBudget()
    let bytes = sent(&budget, to: stranger, to: 10)
    let most = DatagramBudget.burst + 10 * DatagramBudget.bytesPerSecond
    #expect(Double(bytes) <= most && Double(bytes) > 0.99 * most)
    // Another ten seconds, without the burst.
    let later = sent(&budget, to: stranger, from: 10, to: 20)
    #expect(Double(later) <= 10 * DatagramBudget.bytesPerSecond + 100)
  }

  @Test func `unused budget refills up to the burst`() {
    var budget = DatagramBudget()
    _ = sent(&budget, to: stranger, to: 10)
    let isTaken = budget.take(65_000, to: stranger, now: 1e9 + 10e6)
    #expect(!isTaken)
    let after = sent(&budget, to: stranger, from: 1000, to: 1000.5)
    #expect(Double(after) >= DatagramBudget.burst)
  }

  @Test func `this machine has no limit`() {
    var budget = DatagramBudget()
    for address in [IPAddress.loopback4, .loopback6] {
      let bytes = sent(&budget, to: address, to: 10)
      #expect(bytes == 10 * 1000 * 20 * 100)
    }
  }

  @Test func `one address takes budget from almost no others`() {
    var budget = DatagramBudget()
    _ = sent(&budget, to: stranger, to: 10)
    let others = (0..<100).compactMap { IPAddress("198.51.100.\($0)") }
    let served = others.count { budget.take(65_000, to: $0, now: 1e9 + 10e6) }
    #expect(served >= 95)
  }
}
