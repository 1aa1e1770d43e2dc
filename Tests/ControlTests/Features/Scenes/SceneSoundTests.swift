import Engine
import Foundation
import OSC
import TestSupport
import Testing

@Suite struct SceneSoundTests {
  private let stage: SceneDesk
  private var desk: Desk { stage.desk }

  init() throws { stage = try SceneDesk() }

  /// The largest step in a sound of low tones, relative to full scale in dB.
  ///
  /// The eighth difference removes the tones: that of a step of height 1 is 35.
  private func click(_ samples: [Float]) -> Double {
    var rest = samples.map(Double.init)
    for _ in 0..<8 { rest = zip(rest.dropFirst(), rest).map { $0 - $1 } }
    let most = rest.reduce(0) { max($0, abs($1)) }
    return 20 * log10(most / 35 + 1e-12)
  }

  @Test func `a switch while everything sounds has no click above -80 dB`() throws {
    // Loops whose cycle is a whole number of periods.
    stage.record(1, hertz: 100)
    stage.record(2, hertz: 150)
    let one = """
      { "set": { "/live/gain": -12, "/live/route": "chain", "/loop/1/gain": -12, "/loop/2/gain": -18,
        "/grid/gain": -18, "/echo/on": 1, "/echo/mix": 0.4, "/reverb/on": 1, "/reverb/mix": 0.3,
        "/metronome/bpm": 120 },
        "loops": { "play": [1], "stop": [2] } }
      """
    let two = """
      { "set": { "/live/gain": -20, "/live/route": "direct", "/loop/1/gain": -30, "/loop/2/gain": -12,
        "/grid/gain": -24, "/echo/on": 1, "/echo/mix": 0.1, "/reverb/on": 1, "/reverb/mix": 0.6,
        "/metronome/bpm": 97 },
        "loops": { "play": [2], "stop": [1] } }
      """
    try stage.put(one, "scenes", "one")
    try stage.put(two, "scenes", "two")
    stage.result("/scene/check")
    #expect(stage.result("/scene", .string("one")) == "one")
    desk.tell("/note/on", .int32(36))
    let tone = Tone.sine(200, frames: 240 * 64 * 4)
    var sound: [Float] = []
    for index in 0..<tone.count / 64 {
      // The first quarter settles.
      if index == 480 { desk.tell("/scene", .string("two")) }
      if index == 720 { desk.tell("/scene", .string("one")) }
      let output = desk.play(Array(tone[index * 64..<(index + 1) * 64]))
      if index >= 240 { sound += output.left }
    }
    #expect(stage.value("/scene") == "one")
    #expect(Measure.peak(sound) > 0.1)
    let measured = click(sound)
    #expect(measured < -80, "\(measured) dB")
  }
}
