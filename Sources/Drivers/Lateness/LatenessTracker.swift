internal import Dropouts

/// Finds the buffers that were late: from the server's reports of xruns, and from gaps between the frames of
/// two buffers.
struct LatenessTracker {
  /// The signs of lateness so far, from the first to the last.
  struct Signs: Equatable {
    /// The time of the first sign, in microseconds of the host's steady clock.
    var first: Double
    /// The time of the last one.
    var last: Double
    /// The number of xruns and gaps.
    var count = 0
  }

  // The longest time that timings are kept, in microseconds.
  private static let memory = 3e6
  // An episode ends after so long without a sign, and at the latest after the other, in microseconds.
  private static let rest = 100_000.0
  private static let longest = 1e6

  /// The signs of the present episode; nil while all is well.
  private(set) var signs: Signs?
  private var timings: [(steady: Double, timing: BlockTiming)] = []
  private var xruns = 0

  /// Follows a buffer that started at a steady time in microseconds.
  ///
  /// `counts` is false for a client that is just joining: that causes gaps of its own.
  mutating func follow(_ timing: BlockTiming, at steady: Double, counts: Bool) {
    if let last = timings.last?.timing, counts {
      let gap = Int32(bitPattern: timing.frame &- (last.frame &+ last.frames))
      // A smaller number is that of another server.
      if gap > 0, timing.frames == last.frames { note(1, at: steady) }
    }
    if signs == nil, let first = timings.first, steady - first.steady > 2 * Self.memory {
      timings.removeAll { $0.steady < steady - Self.memory }
    }
    timings.append((steady, timing))
  }

  /// Follows the server's count of xruns.
  mutating func follow(xruns count: Int, now: Double, counts: Bool) {
    defer { xruns = count }
    if count > xruns, counts { note(count - xruns, at: now) }
  }

  private mutating func note(_ count: Int, at time: Double) {
    var present = signs ?? Signs(first: time, last: time)
    present.last = max(time, present.last)
    present.count += count
    signs = present
  }

  /// Whether the present episode has ended.
  func isOver(now: Double) -> Bool {
    guard let signs else { return false }
    return now >= signs.last + Self.rest || now >= signs.first + Self.longest
  }

  /// Forgets the times, for another server or after a time without sound.
  mutating func forget() { (timings, signs) = ([], nil) }

  /// Ends the episode, and returns what the timings since a steady time tell of it; nil if there is none.
  mutating func take(since start: Double, rate: Double) -> LateEpisode? {
    guard let signs, rate > 0, let frames = timings.last?.timing.frames else {
      signs = nil
      return nil
    }
    self.signs = nil
    var episode = LateEpisode()
    episode.period = Double(frames) / rate * 1e6
    episode.blocks = signs.count
    episode.span = signs.last - signs.first
    var end = Double.infinity
    for (steady, timing) in timings {
      // A cycle that waited for the node's own processing of the last one was not late by itself.
      let late = steady - end
      let took = Double(timing.took)
      end = steady + max(episode.period, took)
      guard steady >= start else { continue }
      episode.took = max(episode.took, took)
      if late.isFinite { episode.apart = max(episode.apart, late) }
      if episode.isLong(took) {
        episode.tookLong += took
      } else {
        episode.tookOthers += took
      }
    }
    timings.removeFirst(max(0, timings.count - 1))
    return episode
  }
}
