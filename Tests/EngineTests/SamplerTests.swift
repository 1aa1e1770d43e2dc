import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// Notes in the engine: fingers, sustain, instruments that change.
@Suite struct SamplerTests {
  /// A host that plays an instrument, and keeps those that were given.
  private final class Stage {
    let host: OfflineHost
    let block: Int
    private(set) var sound: [Float] = []
    private var kept: [SamplerInstrument] = []

    init(block: Int = 64, _ instrument: SamplerInstrument? = nil) {
      self.block = block
      host = OfflineHost()
      host.send(Command(.set(.gridRoute, 1)))
      pass(9600)
      sound = []
      if let instrument { give(instrument) }
      _ = host.events()
    }

    func give(_ instrument: SamplerInstrument?) {
      if let instrument { kept.append(instrument) }
      host.send(Command(.instrument(instrument?.passage)))
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

    /// Lets it go on.
    func pass(_ frames: Int) {
      sound += host.render(Tone.constant(0, frames: frames), block: block).left
    }

    func level(_ finger: Finger) -> Float { host.engine.shared.notes.level(of: finger) }

    /// How many commands were done since.
    var doneCount: Int {
      host.events().count { if case .done = $0.kind { true } else { false } }
    }
  }

  /// A tone without an end, of 375 Hz at key 60.
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
  func `a note begins on its frame, and sounds the same in blocks of any size`(block: Int) {
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
    // The tone begins with a zero, and the attack with another.
    #expect(sound.firstIndex { $0 != 0 }.map { (777...780).contains($0) } == true)
    #expect(Measure.firstDifference(sound, played(97)) == nil)
  }

  @Test func `a note sounds until its finger is lifted, and its level is told as long`() {
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
}
