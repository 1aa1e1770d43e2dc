import Testing

@testable import Engine

@Suite struct ClockFilterTests {
  /// Feeds blocks whose times have uniform jitter of some microseconds, and returns the greatest
  /// error of the estimated time of a frame in microseconds, after the first seconds.
  private func error(
    trueRate: Double, nominal: Double, jitter: Double, block: (Int) -> Int, seconds: Double = 30
  ) -> Double {
    var filter = ClockFilter(sampleRate: nominal)
    var state: UInt64 = 7
    var frame: Int64 = 1000
    var worst = 0.0
    var index = 0
    while Double(frame) / trueRate < seconds {
      let exact = Double(frame) / trueRate * 1e6 + 5e9
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let noise = (Double(state >> 40) / Double(1 << 24) - 0.5) * 2 * jitter
      filter.update(frame: frame, microseconds: exact + noise)
      if Double(frame) / trueRate > 10 {
        let told = filter.reading.frame(at: exact)
        worst = max(worst, abs(Double(told - frame)) / trueRate * 1e6)
        worst = max(worst, abs(filter.reading.microseconds - exact))
      }
      frame += Int64(block(index))
      index += 1
    }
    return worst
  }

  @Test(arguments: [16, 64, 1024])
  func `estimates the time despite jitter and an inaccurate rate`(block: Int) {
    // 48 kHz that is 100 ppm fast, and blocks that wake up to 500 µs early or late. The loop filter
    // averages over seconds. Of 47 blocks per second, the fewest here, a fifth of the jitter
    // remains.
    let worst = error(trueRate: 48_004.8, nominal: 48_000, jitter: 500) { _ in block }
    #expect(worst < 500 / 5, "\(worst) µs")
  }

  @Test func `is exact on a clock without jitter`() {
    // Half a microsecond is a fortieth of a frame.
    #expect(error(trueRate: 48_000.5, nominal: 48_000, jitter: 0) { _ in 64 } < 0.5)
  }

  @Test func `never mistakes jitter for a rate`() {
    var filter = ClockFilter(sampleRate: 48_000)
    for block in 0..<400 {
      // Every other block is late by the maximum that counts as jitter.
      let late = block % 2 == 0 ? 0.0 : 90_000
      filter.update(frame: Int64(block * 64), microseconds: Double(block * 64) / 0.048 + late)
      let rate = 1e6 / filter.reading.microsecondsPerFrame
      #expect(abs(rate / 48_000 - 1) < 0.00101)
    }
  }

  @Test func `is robust against xruns and changing block sizes`() {
    let worst = error(trueRate: 44_100, nominal: 44_100, jitter: 0) { $0 % 7 == 0 ? 2048 : 128 }
    #expect(worst < 0.5, "\(worst) µs")
  }

  @Test func `restarts when the clock is set`() {
    var filter = ClockFilter(sampleRate: 48_000)
    for block in 0..<100 {
      filter.update(frame: Int64(block * 64), microseconds: Double(block * 64) / 0.048)
    }
    filter.update(frame: 6400, microseconds: 9e9)
    #expect(filter.reading.frame(at: 9e9 + 1000) == 6448)
  }
}

@Suite struct TimelineTests {
  @Test func `follows the server's count across its wrap`() {
    var timeline = Timeline()
    #expect(timeline.begin(at: 0xFFFF_FFC0) == 0xFFFF_FFC0)
    #expect(timeline.advance(to: 0, from: 1 << 32) == 64)
    #expect(timeline.frame == 1 << 32)
  }

  @Test func `never goes back when another server counts from 0`() {
    var timeline = Timeline()
    _ = timeline.begin(at: 500_000)
    _ = timeline.begin(at: 64)
    #expect(timeline.frame == 1 << 32 + 64)
  }

  @Test func `skips the frames of xruns`() {
    var timeline = Timeline()
    _ = timeline.begin(at: 1000)
    #expect(timeline.advance(to: 1640, from: 1064) == 640)
    #expect(timeline.frame == 1640)
  }

  @Test(arguments: [1, 64, 40_000, 1 << 31 - 1] as [UInt32])
  func `continues at the end of the last block when the count steps back`(back: UInt32) {
    var timeline = Timeline()
    _ = timeline.begin(at: 40_000)
    #expect(timeline.advance(to: 40_000 &- back, from: 40_064) == 64)
    #expect(timeline.frame == 40_064)
    #expect(timeline.advance(to: 40_064 &- back, from: 40_128) == 64)
    #expect(timeline.advance(to: 40_192 &- back, from: 40_192) == 128)
    #expect(timeline.frame == 40_256)
  }
}

@Suite struct PublishedTests {
  @Test func `is read atomically`() async {
    final class Rig: Sendable {
      let clock = Published(ClockReading(frame: 0, microseconds: 0, microsecondsPerFrame: 0))
    }
    let rig = Rig()
    let writer = Task.detached {
      for step in 1...200_000 {
        rig.clock.publish(
          ClockReading(
            frame: Int64(step), microseconds: Double(step), microsecondsPerFrame: Double(step)))
      }
    }
    var torn = 0
    for _ in 0..<200_000 {
      let reading = rig.clock.read()
      if Double(reading.frame) != reading.microseconds
        || reading.microseconds != reading.microsecondsPerFrame
      {
        torn += 1
      }
    }
    await writer.value
    #expect(torn == 0)
  }
}
