import Engine
import Foundation
import TestSupport
import Testing

/// Clicks of a loop at its start, end, crossfade, mute and seek.
@Suite struct LoopClickTests {
  /// The peak above 6 kHz in dB relative to the tone, which a Butterworth filter of the eighth
  /// order attenuates by 208 dB.
  private static func click(_ samples: [Float], amplitude: Float) -> Double {
    var sound = samples.map { Double($0) }
    for quality in [0.5098, 0.6013, 0.9, 2.5629] {
      let turn = 2 * Double.pi * 6000 / 48_000
      let alpha = sin(turn) / (2 * quality)
      let scale = 1 / (1 + alpha)
      let (first, middle) = ((1 + cos(turn)) / 2 * scale, -(1 + cos(turn)) * scale)
      let (once, twice) = (-2 * cos(turn) * scale, (1 - alpha) * scale)
      var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
      for index in sound.indices {
        let x = sound[index]
        let y = first * (x + x2) + middle * x1 - once * y1 - twice * y2
        (x1, x2, y1, y2) = (x, x1, y, y1)
        sound[index] = y
      }
    }
    // The filter itself starts with a step.
    let peak = sound.dropFirst(500).reduce(0) { max($0, abs($1)) }
    return 20 * log10(max(1e-9, peak / Double(amplitude)))
  }

  private func playing() -> LoopStage {
    let stage = LoopStage()
    // A hundred periods and a quarter, so that the loop crossfade is not seamless by chance.
    let tone = Tone.sine(301, amplitude: 0.5, frames: 48_000)
    stage.record(Array(tone[..<16_040]), 0)
    stage.play(Array(tone[16_040..<16_600]))
    stage.rest(16_000)
    return stage
  }

  private func heard(_ stage: LoopStage, _ frames: Int, _ change: () -> Void) -> Double {
    let start = stage.time
    stage.rest(600)
    change()
    stage.rest(frames)
    return Self.click(Array(stage.stems[0][start...]), amplitude: 0.5)
  }

  // An audible click is a hundred times louder.
  @Test func `loop crossfades, stops, mutes, undo and jumps have clicks below -80 dB`() {
    let seam = playing()
    #expect(heard(seam, 40_000) {} < -80)
    let stop = playing()
    #expect(heard(stop, 4000) { stop.send(.stop, 0) } < -80)
    let pause = playing()
    #expect(heard(pause, 4000) { pause.send(.pause, 0) } < -80)
    #expect(heard(pause, 4000) { pause.send(.pause, 0) } < -80)
    let mute = playing()
    #expect(heard(mute, 4000) { mute.set(.mute, of: 0, 1) } < -80)
    #expect(heard(mute, 4000) { mute.set(.mute, of: 0, 0) } < -80)
    let back = playing()
    #expect(heard(back, 4000) { back.set(.direction, of: 0, -1) } < -80)
    let jump = playing()
    #expect(heard(jump, 4000) { jump.host.send(Command(.seek(0.1))) } < -80)
    let undo = playing()
    undo.press(.overdub, 0)
    undo.play(Tone.sine(301, amplitude: 0.2, frames: 8000))
    undo.press(.overdub, 0)
    undo.rest(16_040)
    #expect(heard(undo, 4000) { undo.send(.undo, 0) } < -80)
    let once = playing()
    #expect(heard(once, 20_000) { once.send(.once, 0) } < -80)
  }

  // A crossfade takes 240 frames.
  @Test(arguments: [0, 1, 40, 200])
  func `jumps before the last one has faded in have clicks below -80 dB`(frames: Int) {
    let stage = playing()
    let found = heard(stage, 4000) {
      for place in [0.1, 0.2, 0.03, 0.25] as [Float] {
        stage.host.send(Command(.seek(place)))
        stage.rest(frames)
      }
      stage.send(.once, 0)
      stage.rest(frames)
      stage.set(.direction, of: 0, -1)
      stage.rest(frames)
      stage.host.send(Command(.seek(0.15)))
    }
    #expect(found < -80)
  }

  @Test(arguments: [16, 256]) func `a jump starts at the frame of its command`(block: Int) {
    let stage = LoopStage(block: block)
    let noise = Tone.noise(amplitude: 0.5, frames: 17_000, seed: 3)
    stage.record(Array(noise[..<16_000]), 0)
    stage.play(Array(noise[16_000..<16_640]))
    stage.rest(7040)
    let start = stage.time
    stage.host.send(Command(.seek(0.1)))
    stage.rest(2048)
    // Exactly the clip once the crossfade of 240 frames is over.
    #expect(Array(stage.stems[0][(start + 240)..<(start + 2048)]) == Array(noise[5040..<6848]))
  }

  @Test func `multiply and insert have clicks below -80 dB`() {
    for action in [LoopAction.multiply, .insert] {
      let stage = playing()
      let found = heard(stage, 3000) { stage.send(action, 0) }
      #expect(found < -80, "\(action) starts")
      let ended = heard(stage, 60_000) { stage.send(action, 0) }
      #expect(ended < -80, "\(action) ends, and the loop wraps around")
    }
  }

  @Test(arguments: [LoopAction.overdub, .replace, .substitute], [LoopAction.multiply, .insert])
  func `so do multiply and insert in place of another layer, or just after it`(
    first: LoopAction, action: LoopAction
  ) {
    for pause in [0, 100] {
      let stage = playing()
      let start = stage.time
      let voice = Tone.sine(301, amplitude: 0.2, frames: 12_000)
      stage.send(first, 0)
      stage.play(Array(voice[..<4000]))
      if pause > 0 {
        stage.send(first, 0)
        stage.play(Array(voice[4000..<4000 + pause]))
      }
      stage.send(action, 0)
      stage.play(Array(voice[(4000 + pause)..<8000]))
      stage.send(action, 0)
      // The input of its fade-out.
      stage.play(Array(voice[8000..<8400]))
      stage.rest(80_000)
      // What is under it is the first layer, which has ended early.
      stage.send(.undo, 0)
      stage.rest(40_000)
      let found = Self.click(Array(stage.stems[0][start...]), amplitude: 0.5)
      #expect(found < -80, "after \(pause) frames")
    }
  }

  /// A loop that plays a tone.
  private func playingTone(_ parameter: Parameter.Loop, _ value: Float, latency: Int) -> LoopStage {
    let stage = LoopStage(block: 128)
    stage.host.engine.shared.setInputDelay(latency)
    // A bar of 38,400 frames.
    stage.set(.beat(.tempo), 300)
    let tone = Tone.sine(301, amplitude: 0.5, frames: 48_000)
    stage.record(Array(tone[..<16_040]), 0)
    stage.play(Array(tone[16_040..<16_600]))
    stage.set(parameter, of: 0, value)
    return stage
  }

  @Test(
    arguments: [
      (Parameter.Loop.after, 0), (.after, 1), (.after, 2), (.direction, -1), (.quantize, 1),
      (.quantize, 2),
    ] as [(Parameter.Loop, Float)])
  func `so does a retroactive recording over a playing loop`(
    parameter: Parameter.Loop, value: Float
  ) {
    for latency in [0, 700] {
      // The last one is late by most of a bar, so that it continues far from its start.
      for (seconds, isBars) in [(Float(0.7), false), (1.2, false), (1, true), (0.25, true)] {
        for place in [0, 9000, 20_000] {
          let stage = playingTone(parameter, value, latency: latency)
          let pressed = 80_000 + place
          let tone = Tone.sine(223, amplitude: 0.5, frames: pressed + 3000)
          let start = stage.time + pressed - 600
          stage.play(Array(tone[..<pressed]))
          stage.host.send(Command(.keep(seconds, isBars: isBars)))
          stage.play(Array(tone[pressed...]))
          let click = Self.click(Array(stage.stems[0][start...]), amplitude: 0.5)
          #expect(
            click < -80, "\(parameter) \(value), \(seconds), latency \(latency), \(place)")
          #expect(stage.refusal == nil)
        }
      }
    }
  }

  /// Playback fades in within a millisecond, so that a percussive attack is preserved.
  @Test func `a start fades in within a millisecond, without another click`() {
    let stage = playing()
    stage.press(.stop, 0)
    stage.rest(4000)
    let found = heard(stage, 4000) { stage.send(.play, 0) }
    #expect(found < -50)
  }
}
