import Engine
import Foundation
import TestSupport
import Testing

/// Presses before and after the beat that they mean, and what is heard then.
@Suite struct LatePressTests {
  // 120 beats per minute.
  private static let beat = 24_000
  // A crossfade, and the opening of a loop.
  private static let fade = 240

  /// A performance: a stage with a click from its first frame on, and noise at its input.
  private final class Performance {
    let stage: LoopStage
    let noise = Tone.noise(amplitude: 0.25, frames: 30 * LatePressTests.beat)
    let start: Int
    /// The frames since the first beat.
    var time: Int { stage.time - start }

    init(_ settings: (Parameter.Loop, Float)..., lateness: Float = 0.15, latency: Int = 0) {
      stage = LoopStage(count: 1, lateness: lateness)
      stage.host.engine.shared.setInputDelay(latency)
      stage.set(.quantize, of: 0, 1)
      for (parameter, value) in settings { stage.set(parameter, of: 0, value) }
      stage.set(.metronome(.on), 1)
      stage.rest(stage.block)
      // The first beat was that command's.
      start = stage.time - stage.block
    }

    /// Plays on until a time in frames from the first beat.
    func play(until frame: Int) {
      if frame > time { stage.play(Array(noise[time..<frame])) }
    }

    /// Performs an action a time in milliseconds after a beat.
    func send(_ action: LoopAction, _ beat: Int, _ late: Int) {
      play(until: beat * LatePressTests.beat + late * 48)
      stage.send(action, 0)
    }

    /// The stem from a time in frames from the first beat on.
    func heard(_ range: Range<Int>) -> [Float] {
      Array(stage.stems[0][start + range.lowerBound..<start + range.upperBound])
    }
  }

  /// The presses of a table from -200 to 200 ms, and by how many beats each is moved.
  private static let presses: [(late: Int, beats: Int)] = [
    (-200, 0), (-150, 0), (-100, 0), (-50, 0), (-20, 0), (0, 0), (1, 0), (20, 0), (50, 0), (100, 0),
    (150, 0), (151, 1), (200, 1),
  ]

  @Test(arguments: presses, [0, 700])
  func `a recording starts and ends on the beat that was meant, to the frame`(
    press: (late: Int, beats: Int), latency: Int
  ) {
    let stage = Performance((.after, 0), latency: latency)
    stage.send(.recordOn, 2, press.late)
    stage.send(.recordOn, 4, press.late)
    let end = (4 + press.beats) * Self.beat
    stage.play(until: 10 * Self.beat)
    // In the second cycle, and what was played while its end was heard.
    let length = 2 * Self.beat
    let cycle = stage.heard(end + length + Self.fade..<end + 2 * length)
    let origin = (2 + press.beats) * Self.beat + latency
    #expect(
      cycle == Array(stage.noise[origin + Self.fade..<origin + length]), "\(press.late) ms")
    // In time from the press on: the first cycle is in the same place.
    let late = max(0, press.late) * 48
    let from = late > 7200 ? end : end + late
    let first = stage.heard(from + 2 * Self.fade..<end + length)
    #expect(
      first == Array(stage.noise[origin + from - end + 2 * Self.fade..<origin + length]),
      "\(press.late) ms")
    #expect(stage.stage.reading(0).length == length)
  }

  @Test(arguments: presses, [0, 700])
  func `a layer has what was played between the beats that were meant`(
    press: (late: Int, beats: Int), latency: Int
  ) {
    let stage = Performance((.after, 0), latency: latency)
    stage.send(.recordOn, 0, 0)
    stage.send(.recordOn, 4, 0)
    stage.send(.overdub, 5, press.late)
    stage.send(.overdub, 7, press.late)
    stage.play(until: 14 * Self.beat)
    // The third cycle begins with beat 12, the second with beat 8.
    let loop = stage.noise
    let cycle = stage.heard(8 * Self.beat..<12 * Self.beat)
    let (begin, end) = ((1 + press.beats) * Self.beat, (3 + press.beats) * Self.beat)
    for place in stride(from: Self.fade, to: 4 * Self.beat - Self.fade, by: 7) {
      var expected = loop[place + latency]
      let isEdge = abs(place - begin) <= Self.fade || abs(place - end) <= Self.fade
      if isEdge { continue }
      if place > begin && place < end { expected += loop[4 * Self.beat + place + latency] }
      guard abs(cycle[place] - expected) < 1e-5 else {
        Issue.record("\(press.late) ms: \(cycle[place]) at \(place), not \(expected)")
        return
      }
    }
  }

  @Test(arguments: presses)
  func `a loop that starts late is in the place where it would be`(
    press: (late: Int, beats: Int)
  ) {
    let stage = Performance((.after, 2))
    stage.send(.recordOn, 0, 0)
    stage.send(.recordOn, 2, 0)
    stage.send(.play, 5, press.late)
    stage.play(until: 9 * Self.beat)
    let start = (5 + press.beats) * Self.beat
    // With a quantum of a beat, a loop joins in its place of the bar: the second beat.
    let place = 7 * Self.beat + Self.fade..<8 * Self.beat
    let origin = (place.lowerBound - start) % (2 * Self.beat)
    let joined = (origin + start % (4 * Self.beat)) % (2 * Self.beat)
    #expect(
      stage.heard(place)
        == Array(stage.noise[joined..<joined + Self.beat - Self.fade]), "\(press.late) ms")
  }

  @Test(arguments: [LoopAction.multiply, .insert], presses)
  func `a clip grows by the beats that were meant`(
    action: LoopAction, press: (late: Int, beats: Int)
  ) {
    let stage = Performance((.after, 0))
    stage.send(.recordOn, 0, 0)
    stage.send(.recordOn, 2, 0)
    stage.send(action, 4, press.late)
    stage.send(action, 8, press.late)
    stage.play(until: 16 * Self.beat)
    // Multiplied: the cycles from the start of the clip on. Inserted: four beats.
    let from = press.beats
    let length = action == .insert ? 6 : (from + 4 + 1) / 2 * 2
    #expect(
      stage.stage.reading(0).length == length * Self.beat, "\(press.late) ms")
    // What was played between the beats is there, once.
    let begin = (4 + press.beats) * Self.beat
    let added = Array(stage.noise[begin + 5000..<begin + 5200])
    let clip = Array(stage.stage.stems[0].suffix(length * Self.beat))
    if action == .insert {
      let places = clip.indices.dropLast(200).filter {
        clip[$0] == added[0] && clip[$0 + 1] == added[1]
      }
      #expect(places.count <= 1)
    }
    #expect(clip.allSatisfy { abs($0) < 0.8 })
  }

  @Test func `a tap that is shorter than a beat, and a second press for the same beat, wait`() {
    let stage = Performance((.after, 0))
    // Started for beat 2; the second press would end it there.
    stage.send(.recordOn, 2, 30)
    stage.send(.recordOn, 2, 110)
    #expect(stage.stage.activity(0) == .recording)
    stage.play(until: 6 * Self.beat)
    #expect(stage.stage.reading(0).length == Self.beat)
  }

  @Test func `without lateness a press waits for the next beat`() {
    let stage = Performance((.after, 0), lateness: 0)
    stage.send(.recordOn, 2, 20)
    stage.send(.recordOn, 4, 20)
    stage.play(until: 9 * Self.beat)
    let cycle = stage.heard(7 * Self.beat + Self.fade..<8 * Self.beat)
    #expect(cycle == Array(stage.noise[3 * Self.beat + Self.fade..<4 * Self.beat]))
  }

  @Test func `lateness is at most a third of the beat`() {
    let stage = Performance((.after, 0), lateness: 0.5)
    stage.send(.recordOn, 2, 166)
    stage.send(.recordOn, 3, 167)
    stage.play(until: 8 * Self.beat)
    #expect(stage.stage.reading(0).length == 2 * Self.beat)
  }

  @Test func `a beat before the source was remembered is not recorded as silence`() {
    let stage = Performance((.after, 0))
    let (live, mix) = (Float(0), Float(2))
    stage.stage.set(.source, of: 0, mix)
    stage.play(until: Self.beat)
    stage.stage.set(.source, of: 0, live)
    // The memory is returned once for the source's former use, and offered anew by the control side.
    stage.play(until: 2 * Self.beat + 50 * 48)
    _ = stage.stage.host.engine.tendMemory(0)
    // Beat 2 is half remembered, and beat 3 is.
    stage.send(.recordOn, 2, 100)
    stage.send(.recordOn, 4, 0)
    stage.play(until: 6 * Self.beat)
    #expect(stage.stage.reading(0).length == Self.beat)
    let cycle = stage.heard(5 * Self.beat + Self.fade..<6 * Self.beat)
    #expect(cycle == Array(stage.noise[3 * Self.beat + Self.fade..<4 * Self.beat]))
  }
}
