import Posix
import Testing

@testable import Feed

/// The rate limit of wrong secrets.
@Suite struct SecretGuessesTests {
  private let one = IPAddress("192.168.1.2")!

  @Test func `ten wrong secrets are checked at once, then one each six seconds`() {
    let guesses = SecretGuesses()
    for _ in 0..<10 { #expect(guesses.take("a", from: one, now: 1e9) == nil) }
    #expect(guesses.take("a", from: one, now: 1e9) == 6)
    #expect(guesses.take("a", from: one, now: 1e9 + 4.5e6) == 2)
    #expect(guesses.take("a", from: one, now: 1e9 + 6e6) == nil)
    #expect(guesses.take("a", from: one, now: 1e9 + 6e6) == 6)
    // Attempts that are refused don't extend the wait.
    let checked = (0..<1500).count {
      guesses.take("a", from: one, now: 1e9 + 6e6 + Double($0)) == nil
    }
    #expect(checked == 0)
    #expect(guesses.take("a", from: one, now: 1e9 + 12e6) == nil)
  }

  @Test func `other posts and other addresses are not slowed`() {
    let guesses = SecretGuesses()
    for _ in 0..<10 { _ = guesses.take("a", from: one, now: 1e9) }
    #expect(guesses.take("a", from: one, now: 1e9) != nil)
    // Few of them share a bucket by chance.
    let others = (1...100).count {
      guesses.take("a", from: IPAddress("10.0.0.\($0)")!, now: 1e9) == nil
    }
    let posts = (0..<50).count { guesses.take("post \($0)", from: one, now: 1e9) == nil }
    #expect(others >= 95 && posts >= 45)
  }

  @Test func `a right secret takes no place`() {
    let guesses = SecretGuesses()
    for _ in 0..<1000 {
      #expect(guesses.take("a", from: one, now: 1e9) == nil)
      guesses.giveBack("a", from: one, now: 1e9)
    }
  }

  @Test func `an address that guesses at many posts is slowed, and takes nothing from others`() {
    let guesses = SecretGuesses()
    let checked = (0..<5000).count { guesses.take("\($0)", from: one, now: 1e9) == nil }
    #expect(checked == 60)
    let others = (1...100).count {
      guesses.take("\($0)", from: IPAddress("10.0.0.\($0)")!, now: 1e9 + 1) == nil
    }
    #expect(others >= 95)
  }

  @Test func `an IPv6 network is one sender`() {
    let guesses = SecretGuesses()
    let checked = (1...40).count {
      guesses.take("a", from: IPAddress("2001:db8::\($0)")!, now: 1e9) == nil
    }
    #expect(checked == 10)
  }
}
