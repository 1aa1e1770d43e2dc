import Control
import Engine
import OSC
import TestSupport
import Testing

/// Samples of the largest magnitude, which any JACK client can send.
///
/// Measurements become NaN, and must not be converted to integers.
@Suite struct HugeSoundTests {
  @Test(arguments: ["live", "voice", "studio"], [Float(1e9), 1e19, 1e38])
  func `the pitch shifter survives samples of any size`(engine: String, height: Float) {
    let desk = Desk()
    for message in [
      [UInt8](address: "/pitch/on", [.int32(1)]), [UInt8](address: "/pitch/semitones", [.float(5)]),
      [UInt8](address: "/stretch/on", [.int32(1)]),
      [UInt8](address: "/stretch/rate", [.float(0.7)]),
      [UInt8](address: "/pitch/engine", [.string(engine)]),
      [UInt8](address: "/pitch/formant", [.float(3)]),
      [UInt8](address: "/echo/on", [.int32(1)]), [UInt8](address: "/reverb/on", [.int32(1)]),
    ] { desk.give(message) }
    var seed: UInt64 = 1
    var sound: [Float] = Tone.sine(220, frames: 24_000).map { $0 * height }
    for _ in 0..<24_000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let share = Float(Int32(truncatingIfNeeded: seed >> 33)) / 2_147_483_648
      sound.append(seed >> 60 < 8 ? share : share * height)
    }
    sound += Tone.sine(330, frames: 24_000)
    _ = desk.play(sound)
    let after = desk.play(Tone.sine(330, frames: 96_000))
    #expect(after.left.allSatisfy { $0.isFinite && abs($0) <= 1 })
  }
}
