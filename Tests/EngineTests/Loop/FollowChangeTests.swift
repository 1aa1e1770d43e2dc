import Engine
import Foundation
import TestSupport
import Testing

/// Loops that follow changes of the tempo: between passing, drifting and stretching, nothing jumps and nothing is
/// heard twice.
@Suite struct FollowChangeTests {
  /// Changes of the tempo, each with its beats.
  private static let changes: [[(tempo: Float, beats: Double)]] = [
    [(130, 12), (120, 16)], [(120.2, 8), (120.24, 8), (120.2, 8), (120, 8)], [(121, 8), (120, 12)],
    [(120.3, 8), (120, 12)],
  ]

  /// The greatest distance of the deviations of two neighbors.
  private func greatestLeap(_ pulses: [PulseLoop.Pulse]) -> Double {
    zip(pulses, pulses.dropFirst()).map { abs($1.late - $0.late) }.max() ?? .infinity
  }

  // An engine moves single pulses by up to 3 ms while it stretches, the live one, which splices, by up to 8.
  private func check(_ pulses: [PulseLoop.Pulse], engine: Float, _ name: String) {
    let all = pulses.map {
      "\(($0.beat * 100).rounded() / 100): \(($0.late * 100).rounded() / 100)"
    }
    #expect(!pulses.contains { $0.late.isNaN }, "\(name): \(all)")
    let greatest = pulses.map { abs($0.late) }.max() ?? .infinity
    #expect(greatest < (engine == 0 ? 8 : 3), "\(name): \(all)")
  }

  // Neighbors of a pulse are moved by as much.
  private func checkChanges(_ pulses: [PulseLoop.Pulse], engine: Float, _ name: String) {
    check(pulses, engine: engine, name)
    let isHeardOnce = pulses.allSatisfy { $0.stray < 0.1 }
    #expect(isHeardOnce, "\(name): \(pulses.filter { $0.stray >= 0.1 })")
    #expect(engine == 0 || greatestLeap(pulses) < 2.5, "\(name)")
  }

  @Test(arguments: [0, 1, 2] as [Float], [1, 2] as [Float])
  func `changes of the tempo neither move what is heard nor double it`(engine: Float, mode: Float) {
    for changes in Self.changes {
      let loop = PulseLoop(engine: engine)
      loop.stage.set(.follow, of: 0, mode)
      loop.pass(beats: 8)
      var beat = 8.0
      for (tempo, beats) in changes {
        loop.setTempo(tempo)
        loop.pass(beats: beats)
        beat += beats
      }
      let name = "\(changes.map(\.tempo))"
      checkChanges(loop.pulses(from: 4, to: beat - 1), engine: engine, name)
      // In time again, it is passed.
      let last = loop.pulses(from: beat - 3, to: beat - 1)
      #expect(last.allSatisfy { abs($0.late) < 0.51 }, "\(name): \(last)")
      #expect(loop.isUnchanged(from: beat - 3, to: beat - 1), "\(name): \(last)")
    }
  }

  @Test(arguments: [0, 1, 2] as [Float])
  func `it follows a MIDI clock with jitter through the limit between drift and stretch`(
    engine: Float
  ) {
    let loop = PulseLoop(engine: engine)
    loop.stage.set(.beat(.source), 1)
    loop.stage.set(.follow, of: 0, 2)
    loop.pass(beats: 1)
    // 0.03 beats per minute more in each beat, then 120 again.
    let train = ClockTrain(seconds: 45, jitter: .uniform(1)) {
      $0 < 8 ? 120 : $0 < 28 ? 120 + ($0 - 8) * 0.06 : $0 < 36 ? 121.2 : 120
    }
    let first = loop.stage.host.frame
    loop.stage.host.midi += [(first + UInt32(train.received[0]), [0xFA])]
    loop.stage.host.midi += train.received.map { (first + UInt32($0), [0xF8]) }
    let start = loop.stage.time
    loop.stage.rest(44 * 48_000)
    // The tempo of each beat of the clock; the loop keeps the distance that it had when the clock was known.
    var pulses: [PulseLoop.Pulse] = []
    for tick in stride(from: 24 * 8, to: 24 * 84, by: 24) {
      let (beat, next) = (Double(start) + train.exact[tick], Double(start) + train.exact[tick + 24])
      for pulse in loop.heard(from: beat, to: next) { pulses.append(pulse) }
    }
    let mean = pulses.prefix(16).reduce(0) { $0 + $1.late } / 16
    for index in pulses.indices { pulses[index].late -= mean }
    #expect(pulses.count > 280)
    let settled = pulses.filter { $0.beat > 1 }
    checkChanges(settled, engine: engine, "\(engine)")
  }

  @Test(arguments: [0, 1, 2] as [Float])
  func `at another tempo it starts on the beat, with its first sound`(engine: Float) {
    for tempo: Float in [110, 120.15, 132] {
      let loop = PulseLoop(perBeat: 8, engine: engine)
      loop.stage.set(.follow, of: 0, 2)
      loop.pass(beats: 1)
      loop.setTempo(tempo)
      loop.pass(beats: 2)
      loop.stage.press(.stop, 0)
      loop.stage.rest(9600)
      loop.stage.send(.play, 0)
      let start = Double(loop.stage.time)
      loop.stage.rest(96_000)
      let length = 3000.0 * 120 / Double(tempo)
      let pulses = loop.heard(from: start, to: start + 16 * length, count: 16)
      check(pulses, engine: engine, "\(tempo)")
      // While it starts, the studio engine smears pulses that are an eighth of a beat apart into each other.
      let stray = pulses.map(\.stray).max() ?? 1
      #expect(stray < (engine == 2 ? 0.3 : 0.1), "\(tempo): \(stray)")
    }
  }

  @Test(arguments: [0, 1, 2] as [Float], [0.5, 0.75] as [Float])
  func `back at its own speed, a loop is passed bit for bit within a second`(
    engine: Float, speed: Float
  ) {
    for parameter in [Parameter.Loop.speed, .rate] {
      let loop = PulseLoop(perBeat: 1, engine: engine)
      loop.pass(beats: 1)
      loop.stage.set(parameter, of: 0, speed)
      loop.stage.rest(40_013)
      loop.stage.set(parameter, of: 0, 1)
      // The studio engine rests after 200 of its hops.
      loop.stage.rest(engine == 2 ? 96_000 : 48_000)
      if engine == 1 { continue }
      let from = loop.stage.time
      loop.stage.rest(5 * 96_000)
      let heard = Array(loop.stage.stems[0][from...])
      let clip = PulseLoop.clip(perBeat: 1)
      // A pulse has two equal peaks.
      let place = heard.indices.first { heard[$0] == Measure.peak(clip) } ?? 0
      let shift = (11_999 - place + 96_000) % 96_000
      let differing = heard.indices.first { heard[$0] != clip[($0 + shift) % 96_000] }
      #expect(differing == nil, "\(parameter) \(speed)")
      #expect(Measure.peak(heard) > 0.49)
    }
  }

  @Test(arguments: [LoopAction.overdub, .replace, .substitute])
  func `a tempo that stretches the loop leaves a layer its queued end, and begins no other`(
    action: LoopAction
  ) {
    let loop = PulseLoop()
    let stage = loop.stage
    stage.set(.follow, of: 0, 2)
    stage.set(.quantize, of: 0, 2)
    stage.send(action, 0)
    loop.pass(beats: 5)
    #expect(stage.reading(0).isOverdubbing)
    stage.send(action, 0)
    loop.pass(beats: 1)
    #expect(stage.reading(0).pending == action)
    let layers = stage.reading(0).overdubs
    loop.setTempo(126)
    loop.pass(beats: 1)
    #expect(stage.reading(0).isOverdubbing && stage.reading(0).pending == action)
    loop.pass(beats: 2.5)
    for _ in 0..<8 {
      loop.pass(beats: 1)
      #expect(!stage.reading(0).isOverdubbing && stage.reading(0).overdubs == layers)
      #expect(stage.reading(0).pending == nil)
    }
  }

  // A locked loop would move on a Start while it grows, and its layer with it.
  @Test func `a Start while the loop grows moves it once the layer has ended`() {
    for kind in [LoopAction.multiply, .insert] {
      let loop = PulseLoop(perBeat: 1)
      let stage = loop.stage
      stage.set(.beat(.source), 1)
      loop.pass(beats: 2)
      let first = stage.host.frame
      // Beats begin with those of the loop. The second Start is a quarter of a beat late.
      let again = 24 * 16 + 6
      stage.host.midi = (0..<24 * 60).flatMap { tick in
        let frame = first + UInt32(1000 * tick)
        let start: [(frame: UInt32, bytes: [UInt8])] =
          tick == 0 || tick == again ? [(frame, [0xFA])] : []
        return start + [(frame: frame, bytes: [UInt8(0xF8)])]
      }
      let start = stage.time
      loop.pass(beats: 6)
      stage.set(.follow, of: 0, 2)
      loop.pass(beats: 8)
      #expect(loop.pulses(from: 4, to: 15).allSatisfy { abs($0.late) < 0.03 })
      stage.press(kind, 0)
      // Two and a half beats later.
      stage.rest(60_000 - 72 - 1)
      let played = stage.time + 72
      stage.play(PulseLoop.sound)
      stage.rest(6 * 24_000 - 60_000 - 72)
      stage.press(kind, 0)
      stage.rest(24 * 24_000)
      let beats = (1...20).map { Double(start + again * 1000 + (6 + $0) * 24_000 + 12_000) }
      let found = beats.map { PulseLoop.find(in: stage.stems[0], around: $0, way: 3000).late }
      if kind == .multiply { #expect(found.allSatisfy { abs($0) < 0.03 }, "\(found)") }
      let middle = found.filter { !$0.isNaN }
      #expect(middle.count >= 8 && middle.allSatisfy { abs($0) < 0.03 }, "\(kind): \(found)")
      // The layer has kept its distance of the clip's pulses: half a beat after the beginning of a part.
      let layers = beats.map {
        PulseLoop.find(
          in: stage.stems[0], around: $0 + Double((played - start - 12_000) % 24_000), way: 3000
        ).late
      }.filter { !$0.isNaN }
      #expect(layers.count >= 2 && layers.allSatisfy { abs($0) < 0.05 }, "\(kind): \(layers)")
    }
  }
}
