import Foundation
import Testing

@testable import Engine

/// How well the tempo and the phase of a jittery clock are known.
@Suite struct TickFilterTests {
  /// The deviations of an estimate: of each tick in milliseconds, and of the tempo.
  private func deviations(_ train: ClockTrain) -> [(phase: Double, tempo: Double)] {
    var filter = TickFilter(sampleRate: 48_000)
    return train.received.indices.map { index in
      filter.add(Double(train.received[index]))
      return (
        (filter.time - train.exact[index]) / 48, 120_000 / filter.period - train.tempo[index]
      )
    }
  }

  private func rms(_ values: some Sequence<Double>) -> Double {
    let squares = values.map { $0 * $0 }
    return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
  }

  /// Over thirty trains, because one can be lucky.
  private func trains(
    _ jitter: ClockTrain.Jitter, seconds: Double = 30, tempo: (Double) -> Double = { _ in 123.4 }
  ) -> [[(phase: Double, tempo: Double)]] {
    (1...30).map {
      deviations(ClockTrain(seconds: seconds, jitter: jitter, seed: $0, tempo: tempo))
    }
  }

  @Test func `with 1 ms of jitter the phase is known after two beats, and the tempo after four`() {
    let all = trains(.uniform(1))
    for one in all {
      #expect(one[48..<72].allSatisfy { abs($0.phase) < 1 })
    }
    let beat = all.flatMap { $0[96..<120] }
    // Twice as good as what a player can be told to expect: 0.1 ms and 0.01 beats per minute.
    #expect(rms(beat.map(\.phase)) < 0.1)
    #expect(rms(beat.map(\.tempo)) < 0.01)
  }

  @Test func `with 1 ms rms both are known after seven beats`() {
    let beat = trains(.normal(1)).flatMap { $0[168..<192] }
    #expect(rms(beat.map(\.phase)) < 0.3)
    #expect(rms(beat.map(\.tempo)) < 0.02)
  }

  // 10 beats per minute over eight bars of four.
  private static func ramp(_ time: Double) -> Double {
    120 + 10 * min(max(0, (time - 15) / 15.36), 1)
  }

  @Test func `in a ramp the phase is at most 1 ms off, with jitter and without`() {
    for jitter in [ClockTrain.Jitter.uniform(0), .uniform(1)] {
      for one in trains(jitter, seconds: 40, tempo: Self.ramp) {
        #expect(one[300...].allSatisfy { abs($0.phase) < 1 }, "\(jitter)")
      }
    }
  }

  /// The table of the documentation.
  @Test func `the figures are printed, and jitter of 3 ms is followed, too`() {
    let kinds: [(String, ClockTrain.Jitter)] = [
      ("none", .uniform(0)), ("1 ms uniform", .uniform(1)), ("1 ms rms", .normal(1)),
      ("3 ms uniform", .uniform(3)), ("3 ms rms", .normal(3)),
    ]
    for (name, jitter) in kinds {
      let steady = trains(jitter)
      let two = steady.flatMap { $0[48..<72] }.map { abs($0.phase) }.max()!
      let (four, seven) = (steady.flatMap { $0[96..<120] }, steady.flatMap { $0[168..<192] })
      let ramp = trains(jitter, seconds: 40, tempo: Self.ramp).flatMap { $0[300...] }
      let figures = [
        two, rms(four.map(\.phase)), rms(four.map(\.tempo)), rms(seven.map(\.phase)),
        rms(seven.map(\.tempo)), ramp.map { abs($0.phase) }.max()!, rms(ramp.map(\.phase)),
      ]
      let row = figures.map { String(format: "%.3f", $0) }.joined(separator: " | ")
      print("clock | \(name) | \(row) |")
      #expect(rms(seven.map(\.tempo)) < 0.1 && rms(ramp.map(\.phase)) < 2)
    }
  }

  @Test func `a missing tick, and a late one, change nothing`() {
    var train = ClockTrain(seconds: 20, jitter: .uniform(0), tempo: { _ in 120 }).received
    // Half of a tick late.
    train[500] += 500
    train.remove(at: 300)
    var filter = TickFilter(sampleRate: 48_000)
    for (index, tick) in train.enumerated() {
      filter.add(Double(tick))
      guard index > 20 else { continue }
      #expect(abs(filter.period - 1000) < 0.1)
      #expect(abs((filter.time - 480).remainder(dividingBy: 1000)) < 1)
    }
    #expect(filter.number == Int64(train.count))
  }

  @Test(arguments: [60, 97, 140, 240] as [Double])
  func `another tempo is known after four ticks`(tempo: Double) {
    let change = 10.0
    let train = ClockTrain(seconds: 12, jitter: .uniform(0)) { $0 < change ? 120 : tempo }
    let first = train.tempo.firstIndex(of: tempo)!
    let found = deviations(train)
    // Each tick is rounded to a frame: of three ticks, 0.03 percent.
    #expect(found[(first + 5)...].allSatisfy { abs($0.tempo) < 0.001 * tempo })
    #expect(found[(first + 5)...].allSatisfy { abs($0.phase) < 0.1 })
  }

  @Test(arguments: [3, 400]) func `ticks that arrive together are counted`(first: Int) {
    var train = ClockTrain(seconds: 20, jitter: .uniform(0), tempo: { _ in 120 }).received
    for index in first..<first + 3 { train[index] = train[first + 3] }
    var filter = TickFilter(sampleRate: 48_000)
    for tick in train { filter.add(Double(tick)) }
    #expect(filter.number == Int64(train.count - 1))
    #expect(abs(filter.period - 1000) < 0.01)
    #expect(abs(filter.time - Double(train.last!)) < 1)
  }

  @Test func `ticks are counted through a change of tempo`() {
    for tempo in [60.0, 240] {
      let train = ClockTrain(seconds: 12, jitter: .uniform(1)) { $0 < 6 ? 120 : tempo }
      var filter = TickFilter(sampleRate: 48_000)
      for tick in train.received { filter.add(Double(tick)) }
      #expect(filter.number == Int64(train.received.count - 1), "\(tempo)")
    }
  }
}
