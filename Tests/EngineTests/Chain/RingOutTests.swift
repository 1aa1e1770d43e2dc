import DSP
import TestSupport
import Testing

@testable import Engine

/// An echo and a reverb that a scene turns off.
@Suite struct RingOutTests {
  private func silence(_ frames: Int) -> [Float] { Tone.constant(0, frames: frames) }

  /// A host whose effect has heard a tone.
  private func host(_ effect: Parameter) -> OfflineHost {
    let host = OfflineHost()
    host.send(
      Command(.set(.echo(.time), 0.1)), Command(.set(.echo(.feedback), 0.5)),
      Command(.set(.reverb(.decay), 1)), Command(.set(effect, 1)))
    _ = host.render(silence(4800), block: 64)
    _ = host.render(Tone.sine(440, frames: 9600), block: 64)
    return host
  }

  private func end(_ effect: Parameter, of host: OfflineHost, ringing: Bool = true) {
    host.send(
      Command(.ringOut(ringing)), Command(.set(effect, 0)), Command(.ringOut(false)))
  }

  @Test(arguments: [Parameter.echo(.on), .reverb(.on)])
  func `it rings out, and then passes the input bit for bit`(effect: Parameter) {
    let (ringing, cut) = (host(effect), host(effect))
    end(effect, of: ringing)
    end(effect, of: cut, ringing: false)
    let tail = ringing.render(silence(24_000), block: 64).left
    // A thousandth is -60 dB, and a millionth -120 dB.
    #expect(Measure.level(tail[7200..<12_000]) > 0.001)
    #expect(Measure.level(cut.render(silence(24_000), block: 64).left[7200...]) < 1e-6)
    // The reverb needs two seconds to -120 dB, the echo as many.
    for _ in 0..<20 { _ = ringing.render(silence(24_000), block: 64) }
    let tone = Tone.sine(300, frames: 9600)
    _ = ringing.render(tone, block: 64)
    #expect(Measure.firstDifference(ringing.render(tone, block: 64).left[0...], tone[0...]) == nil)
  }

  @Test(arguments: [Parameter.echo(.on), .reverb(.on)])
  func `the input passes beside it without a gap or a click`(effect: Parameter) {
    let host = OfflineHost()
    host.send(
      Command(.set(.echo(.time), 0.1)), Command(.set(.echo(.feedback), 0.5)),
      Command(.set(.reverb(.decay), 1)), Command(.set(effect, 1)))
    _ = host.render(silence(4800), block: 64)
    // Fades in, because the repeats have its edge, too.
    let tone = Tone.sine(200, frames: 48_000).enumerated().map { index, sample in
      sample * min(1, Float(index) / 2400)
    }
    var output = host.render(Array(tone[..<4800]), block: 64).left
    end(effect, of: host)
    output += host.render(Array(tone[4800..<28_800]), block: 64).left
    // On again while it rings.
    host.send(Command(.set(effect, 1)))
    output += host.render(Array(tone[28_800...]), block: 64).left
    // A click would have the amplitude of the tone.
    #expect(Measure.roughness(output) < 0.01)
    #expect(Measure.level(output[9600..<28_000]) > 0.5 * Measure.level(tone[9600..<28_000]))
  }

  @Test func `nothing enters an echo that rings out`() {
    let host = host(.echo(.on))
    end(.echo(.on), of: host)
    _ = host.render(Tone.sine(440, frames: 2400), block: 64)
    for _ in 0..<20 { _ = host.render(silence(24_000), block: 64) }
    // A late tone has no repeats.
    _ = host.render(Tone.sine(440, frames: 2400), block: 64)
    let after = host.render(silence(24_000), block: 64).left
    #expect(Measure.level(after[480...]) < 1e-6)
  }

  @Test(arguments: [Parameter.Echo.hold, .feedback])
  func `an echo that would never end is faded out`(parameter: Parameter.Echo) {
    let host = host(.echo(.on))
    host.send(Command(.set(.echo(parameter), 1)))
    _ = host.render(silence(9600), block: 64)
    end(.echo(.on), of: host)
    _ = host.render(silence(9600), block: 64)
    #expect(Measure.level(host.render(silence(9600), block: 64).left) < 1e-6)
  }
}
