import DSP
import Engine
import Foundation
import Howl
import TestSupport
import Testing

/// The feedback suppressor in the engine, in a loop from the live stem through a room to the input.
@Suite struct EngineHowlGuardTests {
  /// Runs the engine in a room above its feedback threshold, and returns the input.
  private func loop(_ host: OfflineHost, seconds: Double) -> [Float] {
    let room = HowlRoom(seed: 1, delay: 400, tail: 0.3)
    let gain = Float(room.limit * pow(10, 1.5 / 20))
    let source = Tone.noise(amplitude: 0.002, frames: Int(seconds * 750) * 64)
    var feedback = [Float](repeating: 0, count: 64)
    var heard: [Float] = []
    for start in stride(from: 0, to: source.count, by: 64) {
      let input = (0..<64).map { source[start + $0] + feedback[$0] }
      heard += input
      let output = host.render(input, block: 64).left
      feedback = room.pass(output.map { tanhf(gain * $0) })
    }
    return heard
  }

  @Test func `off, it has no effect`() {
    let host = OfflineHost()
    let tones = HeldTones.organ.sound(seconds: 1, seed: 4)
    #expect(host.render(tones, block: 64).live == tones)
    #expect(host.engine.shared.notches.all().isEmpty)
  }

  @Test func `on, it ends feedback, and publishes its notches until they are cleared`() {
    let open = OfflineHost()
    #expect(Measure.level(loop(open, seconds: 3).suffix(9600)) > 0.25)

    let host = OfflineHost()
    host.send(Command(.set(.howlGuard(.on), 1)))
    #expect(Measure.level(loop(host, seconds: 3).suffix(9600)) < 0.05)
    let notches = host.engine.shared.notches.all()
    #expect((1...8).contains(notches.count))
    #expect(notches.allSatisfy { 100...9000 ~= $0.hertz && $0.decibels == -30 })
    let places = notches.map { $0.hertz }
    #expect(places == places.sorted())

    _ = host.events()
    host.send(Command(.clearGuard))
    _ = host.render(Tone.noise(amplitude: 0.01, frames: 64), block: 64)
    #expect(host.engine.shared.notches.all().isEmpty)
    #expect(host.events().count == 1)
  }

  @Test func `a notch keeps its hold time in silence, too, and the engine is idle after that`() {
    let host = OfflineHost()
    host.send(Command(.set(.howlGuard(.on), 1)), Command(.set(.howlGuard(.hold), 2)))
    _ = loop(host, seconds: 1.5)
    #expect(!host.engine.shared.notches.all().isEmpty)
    _ = host.render(Tone.constant(0, frames: 3 * 48_000), block: 64)
    #expect(host.engine.shared.notches.all().isEmpty)
  }
}
