import Engine
import TestSupport
import Testing

/// Xruns, in which frames are lost: what plays in time stays in time.
@Suite struct LostFramesTests {
  // At 120 bpm.
  private static let beat = 24_000
  private static let length = 2 * beat
  // After the beat: the crossfade of the cycle would attenuate it there.
  private static let pulse = 6000

  private func stage(_ source: TempoSource = .own) -> LoopStage {
    let stage = LoopStage()
    stage.set(.beat(.source), Float(source.rawValue))
    stage.host.send(Command(.set(.metronome(.on), 1)))
    return stage
  }

  /// A loop of two beats with a pulse in each.
  private func record(_ stage: LoopStage) {
    var sound = Tone.constant(0, frames: Self.length)
    for frame in [Self.pulse, Self.beat + Self.pulse] {
      sound.replaceSubrange(frame..<frame + 100, with: Tone.constant(0.5, frames: 100))
    }
    stage.record(sound, 0)
    stage.rest(1000)
  }

  /// The frames at which sounds of the loop, or clicks, begin after a time.
  private func starts(_ sound: [Float], after time: Int) -> [Int] {
    Measure.starts(of: sound, above: 0.1, quiet: 2400).filter { $0 > time }
  }

  @Test func `a quantized loop stays with the metronome`() {
    let stage = stage()
    record(stage)
    stage.set(.quantize, of: 0, 2)
    for lost: UInt32 in [1024, 64, 7200] {
      stage.host.lose(frames: lost)
      stage.rest(10_000)
    }
    let time = stage.time
    stage.rest(5 * Self.beat)
    let pulses = starts(stage.stems[0], after: time)
    // The mix has the pulses, too.
    let clicks = starts(zip(stage.mix, stage.stems[0]).map { $0 - $1 }, after: time)
    #expect(pulses.count >= 4 && clicks.count >= 4)
    // A click exceeds the threshold within ten frames.
    for pulse in pulses {
      #expect(clicks.contains { abs(pulse - $0 - Self.pulse) <= 10 }, "\(pulses) \(clicks)")
    }
  }

  @Test func `a recording ends on its bar with all frames of it`() {
    let stage = stage()
    stage.set(.quantize, of: 0, 2)
    stage.rest(1000)
    stage.send(.record, 0)
    stage.rest(4 * Self.beat)
    #expect(stage.activity(0) == .recording)
    stage.host.lose(frames: 2048)
    stage.rest(10_000)
    stage.send(.record, 0)
    stage.host.lose(frames: 1024)
    stage.rest(4 * Self.beat)
    #expect(stage.reading(0).length == 4 * Self.beat)
  }

  @Test(arguments: [0, 0.15] as [Float])
  func `whenever frames are lost, a recording has its beats`(lateness: Float) {
    for place in 0..<60 {
      let stage = LoopStage(block: 256, lateness: lateness)
      stage.set(.quantize, of: 0, 1)
      stage.rest(3 * 4096)
      let lost = place * 2048
      for (time, action) in [(12_000, true), (108_000, true), (140_000, false)] {
        let begun = stage.time - 3 * 4096
        if lost > begun && lost <= time {
          stage.rest(lost - begun)
          stage.host.lose(frames: 256)
        }
        stage.rest(time - (stage.time - 3 * 4096))
        if action { stage.send(.recordOn, 0) }
      }
      #expect(stage.activity(0) == .playing, "\(place)")
      #expect(stage.reading(0).length == 4 * Self.beat, "\(place)")
    }
  }

  /// A stage with MIDI clock of 120 bpm, whose ticks in the lost frames are missing, as frames from now on.
  private func clocked(losing lost: Range<UInt32>) -> LoopStage {
    let stage = stage(.midi)
    let first = stage.host.frame
    stage.host.midi = [(first, [0xFA])]
    for tick in UInt32(0)..<600 where !lost.contains(tick * 1000) {
      stage.host.midi.append((first + tick * 1000, [0xF8]))
    }
    stage.rest(4 * Self.beat)
    return stage
  }

  /// Whether each pulse is at its place after a beat of a clock from which frames were lost.
  private func areInTime(_ pulses: [Int], lost: Int) -> Bool {
    pulses.allSatisfy { pulse in
      let place = (pulse + lost - Self.pulse) % Self.beat
      return min(place, Self.beat - place) <= 1
    }
  }

  @Test func `with MIDI clock, which goes on, a loop catches up`() {
    let stage = clocked(losing: 200_000..<204_800)
    record(stage)
    stage.set(.quantize, of: 0, 2)
    stage.rest(200_000 - stage.time)
    stage.host.lose(frames: 4800)
    stage.rest(8 * Self.beat)
    #expect(stage.activity(0) == .playing)
    let pulses = starts(stage.stems[0], after: 250_000)
    #expect(pulses.count >= 3)
    #expect(areInTime(pulses, lost: 4800), "\(pulses)")
  }

  @Test func `with MIDI clock, a loop that is overdubbed catches up after that`() {
    let stage = clocked(losing: 200_000..<204_800)
    record(stage)
    stage.set(.quantize, of: 0, 2)
    stage.send(.overdub, 0)
    stage.rest(200_000 - stage.time)
    stage.host.lose(frames: 4800)
    stage.rest(Self.beat)
    stage.send(.overdub, 0)
    stage.rest(8 * Self.beat)
    #expect(stage.activity(0) == .playing)
    let pulses = starts(stage.stems[0], after: 300_000)
    #expect(pulses.count >= 3)
    #expect(areInTime(pulses, lost: 4800), "\(pulses)")
  }

  @Test
  func `with MIDI clock, a recording has silence in place of lost frames, and its whole bars`() {
    let stage = clocked(losing: 200_000..<204_800)
    stage.set(.quantize, of: 0, 2)
    let tone = Tone.sine(200, frames: 500_000)
    stage.send(.recordOn, 0)
    stage.play(Array(tone[stage.time..<200_000]))
    #expect(stage.activity(0) == .recording)
    stage.host.lose(frames: 4800)
    stage.play(Array(tone[200_000..<280_000]))
    stage.send(.recordOn, 0)
    stage.play(Array(tone[280_000..<400_000]))
    #expect(stage.activity(0) == .playing)
    let length = stage.reading(0).length
    #expect(length == 8 * Self.beat || length == 4 * Self.beat, "\(length)")
    let start = stage.time
    stage.rest(length)
    let heard = Array(stage.stems[0][start...])
    // The longest silence, in frames: what was lost.
    var (longest, run) = (0, 0)
    for sample in heard {
      run = sample == 0 ? run + 1 : 0
      longest = max(longest, run)
    }
    #expect(abs(longest - 4800) < 10, "\(longest)")
    // A click would have the amplitude of the tone.
    #expect(Measure.roughness(heard) < 0.01)
  }
}
