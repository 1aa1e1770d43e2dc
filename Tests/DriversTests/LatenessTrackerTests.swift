import Dropouts
import Testing

@testable import Drivers

/// Signs of lateness, in buffers of 240 frames at 48 kHz, 5 ms each.
@Suite struct LatenessTrackerTests {
  private var tracker = LatenessTracker()
  private var frame: UInt32 = .max - 500
  private var time = 1e6

  /// Plays buffers that start in time.
  private mutating func play(_ count: Int = 1, took: UInt32 = 500, counts: Bool = true) {
    for _ in 0..<count {
      let timing = BlockTiming(frame: frame, frames: 240, took: took)
      tracker.follow(timing, at: time, counts: counts)
      frame &+= 240
      time += 5000
    }
  }

  @Test mutating func `buffers in time are no sign, also when the count of frames wraps`() {
    play(1000)
    tracker.follow(xruns: 0, now: time, counts: true)
    #expect(tracker.signs == nil && !tracker.isOver(now: time + 1e6))
    let none = tracker.take(since: 0, rate: 48_000)
    #expect(none?.blocks == nil)
  }

  @Test mutating func `a gap between the frames is a sign`() throws {
    play(10)
    frame &+= 480
    time += 10_000
    play(10)
    #expect(tracker.signs?.count == 1)
    #expect(!tracker.isOver(now: time) && tracker.isOver(now: time + 200_000))
    let taken = tracker.take(since: 0, rate: 48_000)
    let episode = try #require(taken)
    #expect(episode.blocks == 1 && episode.period == 5000)
    #expect(abs(episode.apart - 10_000) < 1)
    // It was the last one.
    let next = tracker.take(since: 0, rate: 48_000)
    #expect(tracker.signs == nil && next?.blocks == nil)
  }

  @Test mutating func `xruns are a sign, except those of joining`() {
    play()
    tracker.follow(xruns: 3, now: time, counts: false)
    #expect(tracker.signs == nil)
    tracker.follow(xruns: 5, now: time, counts: true)
    #expect(tracker.signs?.count == 2)
    tracker.follow(xruns: 5, now: time + 1e5, counts: true)
    #expect(tracker.signs?.last == time)
  }

  @Test mutating func `an episode ends after a second even if signs go on`() {
    play()
    for count in 1...40 {
      tracker.follow(xruns: count, now: time, counts: true)
      time += 30_000
    }
    #expect(tracker.isOver(now: time))
  }

  @Test mutating func `a cycle that waits for the node's own processing was not late`() throws {
    play(10)
    play(1, took: 22_000)
    // The server has skipped the cycles meanwhile.
    time += 20_000
    frame &+= 960
    play(10)
    let taken = tracker.take(since: 0, rate: 48_000)
    let episode = try #require(taken)
    #expect(episode.took == 22_000 && episode.tookLong == 22_000 && episode.tookOthers == 10_000)
    #expect(episode.apart <= 3000)
  }

  @Test mutating func `only the time since a sample counts`() throws {
    play(10, took: 4900)
    let start = time
    play(10)
    tracker.follow(xruns: 1, now: time, counts: true)
    let taken = tracker.take(since: start, rate: 48_000)
    let episode = try #require(taken)
    #expect(episode.took == 500 && episode.tookOthers == 5000 && episode.tookLong == 0)
  }

  @Test mutating func `a changed length of buffers is no gap`() {
    play(10)
    let timing = BlockTiming(frame: frame &+ 100, frames: 64, took: 100)
    tracker.follow(timing, at: time, counts: true)
    #expect(tracker.signs == nil)
  }
}
