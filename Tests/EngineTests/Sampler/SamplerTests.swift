import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// Notes in the engine: fingers, sustain, and changes of the instrument.
@Suite struct SamplerTests {
  /// A host that plays an instrument, and retains the instruments it was given.
  private final class Stage {
    let host: OfflineHost
    let block: Int
    private(set) var sound: [Float] = []
    private var kept: [SamplerInstrument] = []

    init(block: Int = 64, _ instrument: SamplerInstrument? = nil) {
      self.block = block
      host = OfflineHost()
      host.send(Command(.set(.mixer(.gridRoute), 1)))
      if let instrument { give(instrument) }
      pass(9600)
      sound = []
      _ = host.events()
    }

    func give(_ instrument: SamplerInstrument?) {
      if let instrument { kept.append(instrument) }
      host.send(Command(.instrument(instrument?.pointer)))
    }

    func play(_ action: NoteAction, at frame: Int? = nil) {
      host.send(Command(.note(action), at: frame.map(Int64.init) ?? Command.now))
    }

    func on(_ key: UInt8, _ finger: Finger? = nil, velocity: Float = 1, at frame: Int? = nil) {
      let start = NoteStart(
        finger: finger ?? .key(key), key: key, cents: Float(key) * 100, velocity: velocity)
      play(.on(start), at: frame)
    }

    func off(_ key: UInt8, at frame: Int? = nil) { play(.off(.key(key)), at: frame) }

    /// Renders silence.
    func pass(_ frames: Int) {
      sound += host.render(Tone.constant(0, frames: frames), block: block).left
    }

    func level(_ finger: Finger) -> Float { host.engine.shared.notes.level(of: finger) }

    /// The number of commands done since the last call.
    var doneCount: Int {
      host.events().count { if case .done = $0.kind { true } else { false } }
    }
  }

  /// An endless tone of 375 Hz at key 60.
  private static func tone(
    release: Float = 0.05, change: (inout SamplerRegion) -> Void = { _ in }
  ) -> SamplerInstrument {
    var region = SamplerRegion()
    region.end = 12_800
    region.loop = (0, 12_800)
    region.loopMode = .continuous
    region.envelope.release = release
    region.envelope.isWhole = true
    change(&region)
    return SamplerInstrument(
      regions: [region], modulators: [], sounds: [[Tone.sine(375, frames: 12_800)]])
  }

  @Test(arguments: [1, 32, 64, 333, 2048])
  func `a note starts on its frame, and sounds the same at any block size`(block: Int) {
    func played(_ block: Int) -> [Float] {
      let stage = Stage(
        block: block,
        Self.tone {
          $0.envelope.attack = 0.0137
          $0.vibrato.toPitch = 30
          $0.isFiltered = true
          $0.filter.cutoff = 2000
          $0.tremolo.toFilter = 600
        })
      let start = Int(stage.host.frame)
      stage.on(60, at: start + 777)
      stage.on(67, at: start + 1011)
      stage.off(60, at: start + 5003)
      stage.pass(12_000)
      return stage.sound
    }
    let sound = played(block)
    // The tone starts with a zero, and so does the attack.
    #expect(sound.firstIndex { $0 != 0 }.map { (777...780).contains($0) } == true)
    #expect(Measure.firstDifference(sound, played(97)) == nil)
  }

  @Test func `a note sounds until its release, and its level is published meanwhile`() {
    let stage = Stage(Self.tone())
    stage.on(60, velocity: 0.5)
    stage.pass(48_000)
    #expect(stage.level(.key(60)) == 0.5)
    #expect(Measure.peak(stage.sound[40_000...]) > 0.1)
    stage.off(60)
    stage.pass(64)
    #expect(stage.level(.key(60)) == 0)
    stage.pass(9600)
    #expect(Measure.peak(stage.sound.suffix(4800)) == 0)
  }

  @Test func `a finger's new note ends its previous one, with a release`() {
    let stage = Stage(Self.tone())
    let finger = Finger.cell(3)
    stage.on(60, finger)
    stage.pass(4800)
    stage.on(64, finger, velocity: 0.25)
    stage.pass(9600)
    #expect(stage.level(finger) == 0.25)
    // Only the second of the notes sounds.
    let residue = Measure.residue(
      stage.sound.suffix(4800), hertz: 375 * exp2(4.0 / 12), sampleRate: 48_000)
    #expect(residue < -90, "\(residue) dB")
    stage.play(.off(finger))
    stage.pass(9600)
    #expect(Measure.peak(stage.sound.suffix(1000)) == 0)
  }

  @Test func `sustained notes sound until sustain ends`() {
    let stage = Stage(Self.tone())
    stage.host.send(Command(.set(.notes(.sustain), 1)))
    stage.on(60)
    stage.on(67)
    stage.pass(640)
    stage.off(60)
    stage.pass(24_000)
    #expect(stage.level(.key(60)) == 1 && Measure.peak(stage.sound.suffix(1000)) > 0.5)
    stage.host.send(Command(.set(.notes(.sustain), 0)))
    stage.pass(24_000)
    #expect(stage.level(.key(60)) == 0 && stage.level(.key(67)) == 1)
    // Only the other one is still held.
    let residue = Measure.residue(
      stage.sound.suffix(4800), hertz: 375 * exp2(7.0 / 12), sampleRate: 48_000)
    #expect(residue < -90, "\(residue) dB")
  }

  @Test func `a new sustain ends the notes of the one before`() {
    let stage = Stage(Self.tone())
    stage.host.send(Command(.set(.notes(.sustain), 1)))
    stage.on(60)
    stage.pass(640)
    stage.off(60)
    stage.pass(640)
    // Off and on again on one frame.
    stage.host.send(Command(.set(.notes(.sustain), 0)), Command(.set(.notes(.sustain), 1)))
    stage.pass(9600)
    #expect(stage.level(.key(60)) == 0)
    #expect(Measure.peak(stage.sound.suffix(1000)) == 0)
  }

  @Test func `all notes end at once, held or sustained`() {
    let stage = Stage(Self.tone())
    stage.host.send(Command(.set(.notes(.sustain), 1)))
    for key: UInt8 in 40..<50 { stage.on(key, velocity: 0.1) }
    stage.pass(640)
    for key: UInt8 in 40..<45 { stage.off(key) }
    stage.pass(640)
    stage.play(.allOff)
    stage.pass(9600)
    #expect((40..<50).allSatisfy { stage.level(.key($0)) == 0 })
    #expect(Measure.peak(stage.sound.suffix(1000)) == 0)
    // The former fingers end nothing more, and can start again.
    stage.off(47)
    stage.on(47)
    stage.pass(64)
    #expect(stage.level(.key(47)) == 1)
  }

  @Test func `the level of a decayed note is not published, even while it is held`() {
    let stage = Stage(Self.tone { $0.loopMode = .none })
    stage.on(60, velocity: 0.5)
    stage.pass(6400)
    #expect(stage.level(.key(60)) == 0.5)
    stage.pass(9600)
    #expect(stage.level(.key(60)) == 0)
  }

  @Test func `without an instrument there is no sound and no stuck note`() {
    let stage = Stage()
    stage.on(60)
    stage.pass(640)
    #expect(stage.level(.key(60)) == 0 && Measure.peak(stage.sound) == 0)
    stage.off(60)
    stage.give(Self.tone())
    stage.pass(640)
    #expect(stage.doneCount == 3)
  }

  @Test func `a NaN starts no note`() {
    let stage = Stage(Self.tone())
    for (cents, velocity) in [(Float.nan, Float(1)), (.infinity, 1), (6000, .nan), (6000, 0)] {
      let start = NoteStart(finger: .key(1), key: 200, cents: cents, velocity: velocity)
      stage.play(.on(start))
    }
    stage.pass(640)
    #expect(stage.level(.key(1)) == 0 && Measure.peak(stage.sound) == 0)
    // Extreme values are harmless.
    let start = NoteStart(finger: .key(1), key: 255, cents: 1e30, velocity: 1e30)
    stage.play(.on(start))
    stage.pass(6400)
    #expect(stage.sound.allSatisfy { $0.isFinite })
  }

  @Test func `a thousand simultaneous touches leave no stuck note`() {
    let stage = Stage(Self.tone(release: 0.1))
    for finger in 0..<512 {
      stage.on(UInt8(30 + finger % 60), .cell(finger), velocity: 0.1)
      stage.on(UInt8(30 + finger % 60), Finger.cell(finger).repeated(), velocity: 0.1)
    }
    stage.pass(9600)
    for finger in 0..<512 {
      stage.play(.off(.cell(finger)))
      stage.play(.off(Finger.cell(finger).repeated()))
    }
    stage.pass(19_200)
    #expect(Measure.peak(stage.sound.suffix(4800)) == 0)
    for finger in 0..<512 {
      #expect(stage.level(.cell(finger)) == 0)
      #expect(stage.level(Finger.cell(finger).repeated()) == 0)
    }
    #expect(stage.doneCount == 2048)
  }

  // MARK: - Instruments

  @Test func `an instrument is released when its last note has ended`() {
    let stage = Stage(Self.tone())
    stage.on(60)
    stage.pass(640)
    #expect(stage.doneCount == 1)
    stage.give(Self.tone { $0.tune = 1200 })
    stage.on(72)
    stage.pass(24_000)
    // The note-on was done. The old note is still held and audible.
    #expect(stage.doneCount == 1)
    #expect(stage.level(.key(60)) == 1)
    stage.off(72)
    stage.pass(9600)
    #expect(Measure.residue(stage.sound.suffix(4800), hertz: 375, sampleRate: 48_000) < -90)
    stage.off(60)
    stage.pass(9600)
    // Both note-offs, and the change.
    #expect(stage.doneCount == 3)
    #expect(Measure.peak(stage.sound.suffix(100)) == 0)
  }

  @Test func `another change cuts off notes of the instrument before the last`() {
    let stage = Stage(Self.tone())
    stage.on(60)
    stage.pass(640)
    stage.give(Self.tone())
    stage.pass(64)
    #expect(stage.doneCount == 1)
    stage.give(nil)
    // 10 ms, and the current step: the first instrument has ended, and the second never sounded.
    stage.pass(480 + 128)
    #expect(stage.doneCount == 2)
    #expect(stage.level(.key(60)) == 0)
    // The second difference of a fade of 10 ms is at most a 480th of the tone, that of the tone
    // itself 1.2e-3.
    #expect(Measure.roughness(stage.sound) < 0.003)
  }

  @Test func `changes without sounding notes are done at once`() {
    let stage = Stage(Self.tone())
    let instrument = Self.tone()
    for _ in 0..<600 { stage.give(instrument) }
    stage.pass(128)
    #expect(stage.doneCount == 600)
  }

  @Test func `another rate cuts notes off, and answers pending changes`() {
    let stage = Stage(Self.tone())
    stage.on(60)
    stage.pass(640)
    stage.give(Self.tone { $0.tune = 1200 })
    stage.pass(640)
    #expect(stage.doneCount == 1)
    let other = OfflineHost(takingOver: stage.host.engine, sampleRate: 96_000)
    #expect(stage.level(.key(60)) == 0)
    #expect(other.events().count == 1)
    // The instrument is unchanged, and at its pitch.
    let start = NoteStart(finger: .key(60), key: 60, cents: 6000, velocity: 1)
    other.send(Command(.note(.on(start))))
    let sound = other.render(Tone.constant(0, frames: 19_200), block: 64).left
    let residue = Measure.residue(sound[9600...], hertz: 750, sampleRate: 96_000)
    #expect(residue < -90, "\(residue) dB")
  }

  @Test func `an instrument is retained by its owner only`() {
    weak var watched: SamplerInstrument?
    do {
      let instrument = Self.tone()
      watched = instrument
      let host = OfflineHost()
      host.send(Command(.instrument(instrument.pointer)))
      _ = host.render(Tone.constant(0, frames: 64), block: 64)
      host.send(Command(.instrument(nil)))
      _ = host.render(Tone.constant(0, frames: 64), block: 64)
      #expect(host.events().count == 2)
    }
    #expect(watched == nil)
  }
}
