import DSP
import Foundation
import TestSupport
import Testing

/// Region selection and voice stealing.
@Suite struct SamplerChoiceTests {
  /// Regions that each play a distinct power of two: 1, 2, 4 and so on.
  private func stage(_ changes: (inout SamplerRegion) -> Void...) -> VoiceStage {
    var regions: [SamplerRegion] = []
    var sounds: [[[Float]]] = []
    for (index, change) in changes.enumerated() {
      regions.append(
        VoiceStage.region(64) {
          $0.sound = Int32(index)
          $0.keyTracking = 0
          change(&$0)
        })
      sounds.append([Tone.constant(Float(1 << index), frames: 64)])
    }
    return VoiceStage(SamplerInstrument(regions: regions, modulators: [], sounds: sounds))
  }

  /// The sum of the regions that sound.
  private func heard(_ stage: VoiceStage) -> Int { Int(stage.pass(640).last!.rounded()) }

  @Test func `keys and velocities select regions`() {
    let stage = stage(
      { $0.keys = (0, 59) }, { $0.keys = (60, 127) },
      {
        $0.keys = (60, 72)
        $0.velocities = (100, 127)
      })
    #expect(stage.begin(key: 59).voices == 1 && heard(stage) == 1)
    #expect(stage.begin(key: 60, velocity: 0.5).voices == 1 && heard(stage) == 3)
    #expect(stage.begin(key: 72, velocity: 1).voices == 2 && heard(stage) == 9)
    #expect(stage.begin(key: 73, velocity: 99.4 / 127).voices == 1)
  }

  @Test func `regions alternate in round robin`() {
    let stage = stage(
      { $0.turn = (3, 1) }, { $0.turn = (3, 2) }, { $0.turn = (3, 3) })
    var sounds: [Int] = []
    for _ in 0..<4 {
      let note = stage.begin().number
      sounds.append(heard(stage))
      stage.release(note)
      stage.pass(4800)
    }
    #expect(sounds == [1, 2, 4, 1])
  }

  @Test func `random ranges select one region`() {
    let stage = stage({ $0.chance = (0, 0.25) }, { $0.chance = (0.25, 1) })
    var counts = [0, 0]
    for _ in 0..<400 {
      let note = stage.begin()
      #expect(note.voices == 1)
      counts[heard(stage) - 1] += 1
      stage.release(note.number)
      stage.pass(1600)
    }
    // A quarter of 400, within three standard deviations of 8.7.
    #expect((74...126).contains(counts[0]))
  }

  @Test func `key switches and held keys select regions`() {
    let stage = stage(
      {
        $0.keys = (60, 127)
        $0.switchKeys = (0, 1)
        $0.switchLast = 0
        $0.switchInitial = 0
      },
      {
        $0.keys = (60, 127)
        $0.switchKeys = (0, 1)
        $0.switchLast = 1
      },
      {
        $0.keys = (50, 50)
        $0.switchDown = 2
      },
      {
        $0.keys = (50, 50)
        $0.switchUp = 2
      },
      {
        $0.keys = (51, 51)
        $0.trigger = .first
      },
      {
        $0.keys = (51, 51)
        $0.trigger = .legato
      },
      {
        $0.keys = (52, 52)
        $0.switchPrevious = 51
      })
    func play(_ key: UInt8, isLegato: Bool = false) -> Int {
      let note = stage.begin(key: key, isLegato: isLegato).number
      let sum = heard(stage)
      stage.release(note)
      stage.pass(4800)
      return sum
    }
    #expect(play(60) == 1)
    #expect(play(1) == 0 && play(60) == 2)
    #expect(play(0) == 0 && play(60) == 1)
    #expect(play(50) == 8)
    stage.hold(2, 1)
    #expect(play(50) == 4)
    #expect(play(51) == 16 && play(51, isLegato: true) == 32)
    #expect(play(52) == 64 && play(52) == 0)
  }

  @Test func `a note chokes its group within 8 ms`() {
    let stage = stage(
      {
        $0.keys = (60, 60)
        $0.group = 1
        $0.offBy = 1
      },
      {
        $0.keys = (61, 61)
        $0.group = 1
        $0.offBy = 1
      }, { $0.keys = (62, 62) })
    stage.begin(key: 60)
    stage.begin(key: 62)
    #expect(heard(stage) == 5)
    stage.begin(key: 61)
    // The current step, and 8 ms.
    stage.pass(32 + 32 + 384)
    #expect(heard(stage) == 6)
    #expect(stage.over == [1])
  }

  @Test func `the quietest voices are stolen without a click`() {
    // With a low tone, a voice that is cut off makes a step as large as its level, while the tone
    // itself bends by 1e-5 per frame.
    let region = VoiceStage.region(48_000) {
      $0.envelope.attack = 0.02
      $0.envelope.release = 5
      $0.envelope.isWhole = true
      $0.gain = -12
    }
    let stage = VoiceStage([region], [Tone.sine(50, amplitude: 1, frames: 48_000)])
    var numbers: [UInt32] = []
    for _ in 0..<128 {
      numbers.append(stage.begin().number)
      stage.pass(37)
    }
    stage.pass(9600)
    #expect(stage.soundingCount == 128)
    // Released voices go first.
    for number in numbers[40..<60] { stage.release(number) }
    stage.pass(9600)
    let from = stage.left.count
    for _ in 0..<20 {
      stage.begin()
      stage.pass(64)
    }
    stage.pass(4800)
    #expect(Set(stage.over) == Set(numbers[40..<60]))
    #expect(stage.soundingCount == 128)
    // A fade of 5 ms bends by at most a 240th of 0.25, and all 128 voices by at most 1.4e-3.
    #expect(Measure.roughness(stage.left[from...]) < 0.003)
  }

  @Test func `a chord beyond the polyphony leaves no stuck voices`() {
    let stage = stage({ $0.envelope.release = 0.1 })
    let notes = (0..<1000).map { _ in stage.begin().number }
    stage.pass(4800)
    #expect(stage.soundingCount <= 128)
    for note in notes { stage.release(note) }
    stage.pass(9600)
    #expect(stage.soundingCount == 0)
    // Each voice is reported once.
    #expect(stage.over.count == Set(stage.over).count)
  }

  @Test func `a one-shot sample ignores the release`() {
    let stage = stage({ $0.loopMode = .oneShot })
    let note = stage.begin(shift: 0).number
    stage.release(note)
    #expect(Measure.peak(stage.pass(60)[20..<50]) > 0.99)
    stage.pass(200)
    #expect(stage.over == [note])
  }
}
