internal import Posix

/// A rate limiter for wrong secrets, per post and address and over all posts of an address.
///
/// A secret takes its place before it is checked, since several are checked in parallel, and gives it
/// back unless it was wrong: whoever has the right one is never slowed by it.
///
/// Any thread.
final class SecretGuesses: Sendable {
  /// Token buckets of one kind, each with some wrong secrets at once and one more per interval.
  private struct Buckets {
    // Keys share buckets by an unpredictable hash, so that many posts and addresses take no more memory.
    static let places = 4096

    let atOnce: Double
    /// The time in which one more is allowed, in microseconds.
    let interval: Double
    private var buckets: [(left: Double, since: Double)]

    init(atOnce: Double, interval: Double) {
      (self.atOnce, self.interval) = (atOnce, interval)
      buckets = Array(repeating: (atOnce, 0), count: Self.places)
    }

    private static func place(_ key: some Hashable) -> Int {
      Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) % UInt(places))
    }

    /// The number of wrong secrets that are left for a key.
    func left(_ key: some Hashable, now: Double) -> Double {
      let (left, since) = buckets[Self.place(key)]
      return min(atOnce, left + max(0, now - since) / interval)
    }

    mutating func change(_ key: some Hashable, by count: Double, now: Double) {
      buckets[Self.place(key)] = (min(atOnce, left(key, now: now) + count), now)
    }
  }

  private struct Key: Hashable {
    let post: String
    let sender: IPAddress
  }

  private struct State {
    var posts = Buckets(atOnce: 10, interval: 6e6)
    // One address can't use up the buckets of all others by guessing at many posts.
    var senders = Buckets(atOnce: 60, interval: 1e6)
  }

  private let state = Guarded(State())

  /// Takes a place for a secret of a post, at a time in microseconds.
  ///
  /// Returns nil if it may be checked, otherwise the time until one may be, in seconds.
  func take(_ post: String, from address: IPAddress, now: Double) -> Int? {
    let key = Key(post: post, sender: address.network)
    return state.withLock { state in
      let post = (1 - state.posts.left(key, now: now)) * state.posts.interval
      let sender = (1 - state.senders.left(key.sender, now: now)) * state.senders.interval
      guard max(post, sender) <= 0 else {
        return max(1, Int((max(post, sender) / 1e6).rounded(.up)))
      }
      state.posts.change(key, by: -1, now: now)
      state.senders.change(key.sender, by: -1, now: now)
      return nil
    }
  }

  /// Gives back the place of a secret that was not wrong.
  func giveBack(_ post: String, from address: IPAddress, now: Double) {
    let key = Key(post: post, sender: address.network)
    state.withLock { state in
      state.posts.change(key, by: 1, now: now)
      state.senders.change(key.sender, by: 1, now: now)
    }
  }
}
