import DSP
import Foundation
import TestSupport
import Testing

/// The noise gate of the channel strip.
@Suite struct NoiseGateTests {
  private struct Settings {
    var threshold: Double = -40
    var hold: Float = 0.1
    var range: Double = -60
  }

  /// Gates a sound, with the gain at the end of each frame of a block of one, if asked.
  private func gated(
    _ sound: [Float], _ settings: Settings = Settings(), right: [Float]? = nil, block: Int = 64,
    sampleRate: Float = 48_000, gains: UnsafeMutablePointer<[Float]>? = nil
  ) -> [Float] {
    var gate = NoiseGate(sampleRate: sampleRate)
    gate.setThreshold(Level.gain(decibels: Float(settings.threshold)))
    gate.setHold(seconds: settings.hold)
    gate.setRange(gain: Level.gain(decibels: Float(settings.range)))
    gate.setOn(true)
    var (left, right) = (sound, right ?? sound)
    inBlocks(of: block, &left, &right) {
      let isSounding = gate.process($0.sound, frames: $0.frames)
      if !isSounding {
        for frame in 0..<$0.frames { #expect($0.sound.left[frame] == 0) }
      }
      gains?.pointee.append(gate.gain)
    }
    return left
  }

  /// The gain of the gate after each frame.
  private func gains(_ sound: [Float], _ settings: Settings = Settings()) -> [Float] {
    var gains: [Float] = []
    _ = gated(sound, settings, block: 1, gains: &gains)
    return gains
  }

  private func noise(decibels: Double, frames: Int) -> [Float] {
    Tone.noise(amplitude: Float(pow(10, decibels / 20)), frames: frames)
  }

  /// How often the gain turns from falling to rising.
  private func reopenings(_ gains: [Float]) -> Int {
    var (count, isFalling) = (0, false)
    for (former, next) in zip(gains, gains.dropFirst()) where next != former {
      if isFalling && next > former { count += 1 }
      isFalling = next < former
    }
    return count
  }

  @Test func `soft noise is lowered to the range, and at -90 it is silence`() {
    for range in [-20.0, -60] {
      let sound = noise(decibels: -50, frames: 96_000)
      let output = gated(sound, Settings(range: range))
      let level = Measure.level(output[48_000...]) / Measure.level(sound[48_000...])
      #expect(abs(20 * log10(level) - range) < 0.01)
    }
    let output = gated(noise(decibels: -50, frames: 96_000), Settings(range: -90))
    #expect(Measure.peak(output[48_000...]) == 0)
  }

  @Test func `a sound opens it within a millisecond, without delay or click`() {
    let quiet = noise(decibels: -60, frames: 48_000)
    let tone = Tone.sine(220, amplitude: 0.5, frames: 48_000)
    let sound = quiet + tone
    let output = gated(sound)
    // The tone reaches the threshold 17 frames after its start; then it takes 0.7 ms.
    #expect(Array(output[(48_000 + 60)..<96_000]) == Array(tone[60...]))
    // The noise has 0.004, the tone 0.0004: a step at the threshold would be 0.01.
    #expect(Measure.roughness(output[40_000...]) < 0.005)
  }

  @Test func `it stays open for the hold time, and closes with the decay of the sound`() {
    // 60 dB in 0.6 s: 40 dB below the threshold of -40 after 0.8 s.
    let frames = 96_000
    let decaying = (0..<frames).map { frame in
      Float(sin(2 * .pi * 196 * Double(frame) / 48_000) * pow(10, -5 * Double(frame) / 48_000))
    }
    let gains = gains(decaying, Settings(hold: 0.05))
    // At -46 dB after 0.46 s, and another 0.05 s. The last peak above it is up to 2.6 ms before.
    let start = gains.firstIndex { $0 < 1 } ?? 0
    #expect((0.457...0.511).contains(Double(start) / 48_000), "\(start)")
    // It is closed within 0.3 s.
    #expect(gains[start + 14_400] == Level.gain(decibels: -60))
    #expect(zip(gains[start...], gains[(start + 1)...]).allSatisfy { $0 >= $1 })
  }

  @Test func `it doesn't chatter on held notes that decay with beats`() {
    // Two strings 3 Hz apart, with noise, for each hold time: the level passes the threshold slowly.
    for hold: Float in [0.02, 0.1, 0.5] {
      let frames = 6 * 48_000
      let noise = noise(decibels: -70, frames: frames)
      let sound = (0..<frames).map { frame in
        let time = Double(frame) / 48_000
        let beats = 0.75 + 0.25 * cos(2 * .pi * 3 * time)
        return Float(0.3 * beats * sin(2 * .pi * 82.4 * time) * pow(10, -0.5 * time))
          + noise[frame]
      }
      let settings = Settings(threshold: -35, hold: hold)
      #expect(reopenings(gains(sound, settings)) == 0, "hold \(hold)")
    }
  }

  @Test func `a steady low note is not modulated, even at the shortest hold time`() {
    for decibels in [-39.9, -41, -45] {
      let amplitude = Float(pow(10, decibels / 20))
      let opening = Tone.sine(41.2, amplitude: 0.1, frames: 4800)
      let tone = Tone.sine(41.2, amplitude: amplitude, frames: 96_000)
      let output = gated(opening + tone, Settings(hold: 0))
      #expect(Array(output[4800...]) == tone, "\(decibels)")
    }
  }

  @Test func `both channels open together`() {
    let quiet = noise(decibels: -60, frames: 9600)
    let other = Tone.sine(440, amplitude: 0.5, frames: 9600)
    let output = gated(quiet, right: other)
    #expect(Array(output[200...]) == Array(quiet[200...]))
  }

  @Test(arguments: [1, 17, 480])
  func `the result doesn't depend on the block size`(block: Int) {
    let sound =
      noise(decibels: -20, frames: 3000) + noise(decibels: -50, frames: 20_000)
      + noise(decibels: -20, frames: 3000) + noise(decibels: -70, frames: 9000)
    for range in [-90.0, -30] {
      let settings = Settings(hold: 0.03, range: range)
      #expect(gated(sound, settings, block: block) == gated(sound, settings))
    }
  }

  @Test func `turned off while closed, it opens without a click, and passes the sound unchanged`() {
    var gate = NoiseGate(sampleRate: 48_000)
    gate.setThreshold(1)
    gate.setRange(gain: 0)
    gate.setOn(true)
    var left = Tone.sine(100, amplitude: 0.5, frames: 48_000)
    let tone = left
    var right = left
    inBlocks(of: 64, &left, &right) {
      if $0.start == 24_000 {
        #expect(gate.gain == 0)
        gate.setOn(false)
      }
      _ = gate.process($0.sound, frames: $0.frames)
    }
    #expect(gate.isOff && gate.isResting)
    #expect(Array(left[24_100...]) == Array(tone[24_100...]))
    // 0.7 ms with a continuous slope: at most 6 / 34² of the amplitude in a frame.
    #expect(Measure.roughness(left[23_000...]) < 0.003)
  }

  @Test func `a range that is raised while it is closed is reached without a step`() {
    var gate = NoiseGate(sampleRate: 48_000)
    gate.setThreshold(0.9)
    gate.setRange(gain: 0)
    gate.setOn(true)
    var left = Tone.sine(100, amplitude: 0.3, frames: 96_000)
    var right = left
    inBlocks(of: 64, &left, &right) {
      if $0.start == 48_000 { gate.setRange(gain: 0.5) }
      _ = gate.process($0.sound, frames: $0.frames)
    }
    #expect(gate.gain == 0.5)
    #expect(Measure.roughness(left[40_000...]) < 0.002)
  }
}
