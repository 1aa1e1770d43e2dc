import Engine
import TestSupport
import Testing

/// The start of a loop at another pitch or speed, and of a muted one.
@Suite struct LoopStartTests {
  /// Settings under which a loop starts.
  enum Way: CaseIterable {
    case plain, high, low, slow, fast, voice, slowVoice, studio

    var settings: [(Parameter, Float)] {
      switch self {
      case .plain: []
      case .high: [(.warp(.semitones), 9)]
      case .low: [(.warp(.semitones), -7)]
      case .slow: [(.warp(.rate), 0.5)]
      case .fast: [(.warp(.rate), 1.5)]
      case .voice: [(.warp(.engine), 1), (.warp(.semitones), -4)]
      case .slowVoice: [(.warp(.engine), 1), (.warp(.rate), 0.5)]
      case .studio: [(.warp(.engine), 2), (.warp(.semitones), 5)]
      }
    }
  }

  private static let amplitude: Float = 0.5

  /// A loop of a quarter of a second, recorded in the middle of a sound: it begins and ends at a peak.
  private func stopped() -> LoopStage {
    let stage = LoopStage()
    // A quarter of a period of 160 frames.
    let tone = Array(Tone.sine(300, amplitude: Self.amplitude, frames: 13_000)[40...])
    stage.record(Array(tone[..<12_000]), 0)
    stage.play(Array(tone[12_000..<12_600]))
    stage.press(.stop, 0)
    stage.rest(9600)
    return stage
  }

  /// The greatest step between two frames.
  private func step(_ sound: some Collection<Float>) -> Float {
    zip(sound, sound.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
  }

  private func change(_ stage: LoopStage, to way: Way) {
    for (parameter, value) in way.settings { stage.set(parameter, value) }
  }

  // A tone nine semitones up has steps of 0.033, and a fade-in within a millisecond has 0.016 at most. A start without
  // one has 0.5.
  private static let greatestStep: Float = 0.06

  /// Expects that the loop is heard from an action on, without a step.
  private func expectFadeIn(_ stage: LoopStage, by action: LoopAction) {
    let start = stage.time
    stage.press(action, 0)
    stage.rest(12_000)
    let heard = stage.stems[0][start...]
    #expect(heard.contains { abs($0) > 0.4 })
    #expect(step(heard) < Self.greatestStep)
  }

  @Test(arguments: Way.allCases) func `a loop fades in at any pitch and speed`(way: Way) {
    let stage = stopped()
    change(stage, to: way)
    stage.rest(4800)
    expectFadeIn(stage, by: .once)
  }

  @Test(arguments: [Way.plain, .high, .slowVoice], Way.allCases)
  func `so it does when pitch and speed change on the frame of the start`(
    before: Way, after: Way
  ) {
    let stage = stopped()
    change(stage, to: before)
    stage.rest(4800)
    for parameter in [Parameter.warp(.semitones), .warp(.engine)] { stage.set(parameter, 0) }
    stage.set(.warp(.rate), 1)
    change(stage, to: after)
    expectFadeIn(stage, by: .once)
  }

  @Test(arguments: Way.allCases) func `so it does after a pause`(way: Way) {
    let stage = stopped()
    change(stage, to: way)
    stage.press(.play, 0)
    stage.rest(9630)
    stage.press(.pause, 0)
    stage.rest(9600)
    expectFadeIn(stage, by: .pause)
  }

  @Test(arguments: Way.allCases) func `a loop that was muted while it was stopped starts silently`(
    way: Way
  ) {
    let stage = stopped()
    let start = stage.time
    stage.set(.mute, of: 0, 1)
    change(stage, to: way)
    stage.press(.once, 0)
    stage.rest(12_000)
    #expect(stage.stems[0][start...].allSatisfy { $0 == 0 })
    #expect(stage.mix[start...].allSatisfy { $0 == 0 })
  }
}
