import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// The player in the engine: what it records, plays and adds, to the frame.
@Suite struct PlayerTests {
  /// The tail that is kept behind a clip, and the length of its crossfades, at 48 kHz.
  private static let seam = 240

  private final class Stage {
    let host = OfflineHost()
    private(set) var loop: [Float] = []
    private(set) var played: [Float] = []
    private(set) var mix: [Float] = []
    let block: Int

    init(block: Int = 64) { self.block = block }

    var state: PlayerState { host.engine.shared.player.read().state }

    func set(_ parameter: Parameter, _ value: Float) {
      host.send(Command(.set(parameter, value)))
    }

    /// Presses buttons, and tells what became of each.
    @discardableResult
    func press(_ actions: PlayerAction...) -> [PlayerRefusal?] {
      for action in actions { host.send(Command(.player(action))) }
      play([])
      return host.events().compactMap { event in
        switch event.kind {
        case .done: .some(nil)
        case .refused(let refusal): .some(refusal)
        default: nil
        }
      }
    }

    /// Plays sound into it. What was pressed before happens on its first frame.
    func play(_ sound: [Float]) {
      let output = host.render(sound, block: block)
      played += sound
      loop += output.loop
      mix += output.left
    }
  }

  /// A stage whose loop stem alone is heard, on which so much was recorded.
  private func stage(
    recording clip: [Float], followedBy rest: [Float], block: Int = 64
  ) -> Stage {
    let stage = Stage(block: block)
    stage.set(.liveRoute, 2)
    stage.host.send(Command(.player(.record)))
    stage.play(clip)
    stage.host.send(Command(.player(.stop)))
    stage.play(rest)
    _ = stage.host.events()
    return stage
  }

  @Test(arguments: [1, 64, 1000])
  func `what is played is what was recorded, from its first frame to its last`(block: Int) {
    let clip = Tone.noise(frames: 5000)
    let stage = stage(
      recording: clip, followedBy: Tone.constant(0, frames: 1000), block: block)
    #expect(stage.state == .standby)
    stage.set(.playerLoop, 0)
    stage.host.send(Command(.player(.play)))
    stage.play(Tone.constant(0, frames: 8000))
    let played = Array(stage.loop[6000...])
    // It opens within a millisecond.
    #expect(Measure.firstDifference(played[48..<5000], clip[48..<5000]) == nil)
    #expect(abs(played[0]) < 1e-3)
    // Then what was behind it fades out, and it is over.
    #expect(Measure.peak(played[(5000 + Self.seam)...]) == 0)
    #expect(stage.state == .standby)
  }

  @Test(arguments: [1, 64, 777])
  func `from recording into playing there is no gap, and round the seam no step`(block: Int) {
    // A hundred periods of a tone, and it goes on: the loop must go on, too.
    let tone = Tone.sine(400, frames: 48_000)
    let stage = Stage(block: block)
    stage.set(.liveRoute, 2)
    stage.host.send(Command(.player(.record)))
    stage.play(Array(tone[..<12_000]))
    stage.host.send(Command(.player(.stop)), Command(.player(.play)))
    stage.play(Array(tone[12_000...]))
    // Three rounds: but for its opening, the loop is the tone itself to the last bit that the
    // tone's own arithmetic knows.
    let difference = zip(stage.loop[12_048...], tone[12_048...]).map { $0 - $1 }
    #expect(Measure.peak(difference) < 1e-6)
  }

  @Test func `a seam between sounds that differ is no click`() {
    // It ends on a crest, and begins on a trough.
    let clip = (0..<10_000).map { Float(-cos(Double($0) * 2 * .pi * 100.5 / 10_000)) * 0.5 }
    let stage = stage(recording: clip, followedBy: Tone.constant(0, frames: 0))
    stage.host.send(Command(.player(.play)))
    stage.play(Tone.constant(0.5, frames: 40_000))
    let steady = Measure.roughness(clip)
    #expect(Measure.roughness(Array(stage.loop[11_000...])) < 4 * steady)
  }

  @Test func `what is added is there from the next round on, and undone and redone to the bit`() {
    let clip = Tone.noise(amplitude: 0.25, frames: 9600)
    let stage = stage(recording: clip + clip[..<0], followedBy: Array(clip[..<480]))
    stage.host.send(Command(.player(.play)))
    stage.play(Tone.constant(0, frames: 9600))
    let before = Array(stage.loop.suffix(9600))
    let addition = Tone.sine(441, frames: 9600).map { $0 * 0.1 }
    stage.host.send(Command(.player(.overdub)))
    stage.play(addition)
    stage.host.send(Command(.player(.overdub)))
    stage.play(Tone.constant(0, frames: 9600))
    let after = Array(stage.loop.suffix(9600))
    // Where it is not fading in or out, the loop is the sum.
    let difference = (300..<9300).map { after[$0] - before[$0] - addition[$0] }
    #expect(Measure.peak(difference) < 1e-6)
    #expect(stage.host.engine.shared.player.read().overdubs == 1)
    stage.host.send(Command(.player(.undo)))
    stage.play(Tone.constant(0, frames: 19_200))
    #expect(Measure.firstDifference(stage.loop.suffix(9600), clip[...]) == nil)
    stage.host.send(Command(.player(.redo)))
    stage.play(Tone.constant(0, frames: 19_200))
    #expect(Measure.firstDifference(stage.loop.suffix(9600), after[...]) == nil)
  }
}
