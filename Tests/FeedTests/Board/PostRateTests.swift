import Posix
import Testing

@testable import Feed

/// The rate limit per address.
@Suite struct PostRateTests {
  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test func `each address has its own limit, restored after a minute`() throws {
    let rate = PostRate(most: 2)
    let (one, other) = (try address("192.168.1.2"), try address("192.168.1.3"))
    #expect(rate.admit(one, now: 0) && rate.admit(one, now: 30e6) && !rate.admit(one, now: 59e6))
    #expect(rate.admit(other, now: 59e6))
    #expect(rate.admit(one, now: 61e6) && !rate.admit(one, now: 62e6))
  }

  @Test func `an IPv6 network is one sender`() throws {
    let rate = PostRate(most: 2)
    #expect(rate.admit(try address("2001:db8::1"), now: 0))
    #expect(rate.admit(try address("2001:db8::2"), now: 0))
    #expect(!rate.admit(try address("2001:db8::3"), now: 0))
    #expect(rate.admit(try address("2001:db8:0:1::1"), now: 0))
  }

  @Test func `many addresses of one sender do not raise its limit or block others`() throws {
    let rate = PostRate(most: 1)
    var admitted = 0
    let first = try address("10.0.0.1")
    #expect(rate.admit(first, now: 0))
    for number in 0..<6000 {
      let address = try address("10.\(number / 65_536 + 1).\(number / 256 % 256).\(number % 256)")
      if rate.admit(address, now: 1) { admitted += 1 }
    }
    #expect(admitted == 4096)
    #expect(!rate.admit(first, now: 2))
    #expect(rate.admit(first, now: 61e6))
    #expect(rate.admit(try address("10.9.9.9"), now: 61e6))
  }

  @Test func `without a limit, all posts are accepted`() throws {
    let rate = PostRate(most: nil)
    let one = try address("192.168.1.2")
    #expect((0..<100).allSatisfy { _ in rate.admit(one, now: 0) })
  }
}
