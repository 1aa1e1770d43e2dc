import DSP
import Engine
import TestSupport
import Testing

/// Each parameter of the chain, changed between its extremes on a steady tone.
@Suite struct ChainExtremesTests {
  private struct Turn: CustomTestStringConvertible {
    let parameter: Parameter
    let least: Float
    let greatest: Float
    var also: [(Parameter, Float)] = []
    var testDescription: String { "\(parameter)" }
  }

  private static let echo: [(Parameter, Float)] = [
    (.echo(.on), 1), (.echo(.mix), 0.5), (.echo(.time), 0.1),
  ]
  private static let reverb: [(Parameter, Float)] = [(.reverb(.on), 1), (.reverb(.mix), 0.5)]

  // Rates are omitted: their effect is a jump, which has its own test.
  private static let turns = [
    Turn(parameter: .warp(.pitchOn), least: 0, greatest: 1, also: [(.warp(.semitones), 7)]),
    Turn(parameter: .warp(.pitchOn), least: 0, greatest: 1, also: [(.warp(.engine), 2)]),
    Turn(parameter: .mixer(.bypass), least: 0, greatest: 1, also: [(.warp(.engine), 2)]),
    Turn(parameter: .mixer(.bypass), least: 0, greatest: 1, also: [(.warp(.engine), 1)]),
    Turn(parameter: .warp(.semitones), least: -24, greatest: 24),
    Turn(
      parameter: .warp(.formant), least: -24, greatest: 24,
      also: [(.warp(.engine), 1), (.warp(.semitones), 2)]),
    Turn(parameter: .warp(.mix), least: 0, greatest: 1, also: [(.warp(.semitones), 7)]),
    Turn(parameter: .warp(.engine), least: 0, greatest: 1, also: [(.warp(.semitones), 7)]),
    Turn(parameter: .echo(.on), least: 0, greatest: 1, also: Array(echo.dropFirst())),
    Turn(parameter: .echo(.time), least: 0.001, greatest: 0.3, also: Array(echo.prefix(2))),
    Turn(
      parameter: .echo(.time), least: 0.05, greatest: 0.3,
      also: Array(echo.prefix(2)) + [(.echo(.glide), 1)]),
    Turn(parameter: .echo(.beats), least: 0, greatest: 0.5, also: echo),
    Turn(parameter: .echo(.feedback), least: 0, greatest: 1.1, also: echo),
    Turn(parameter: .echo(.tone), least: 200, greatest: 20_000, also: echo),
    Turn(parameter: .echo(.lowcut), least: 20, greatest: 2000, also: echo),
    Turn(parameter: .echo(.spread), least: 0, greatest: 1, also: echo),
    Turn(parameter: .echo(.hold), least: 0, greatest: 1, also: echo),
    Turn(parameter: .echo(.mix), least: 0, greatest: 1, also: echo),
    Turn(parameter: .reverb(.on), least: 0, greatest: 1, also: [(.reverb(.mix), 0.5)]),
    Turn(parameter: .reverb(.decay), least: 0.1, greatest: 30, also: reverb),
    Turn(parameter: .reverb(.size), least: 0, greatest: 1, also: reverb),
    Turn(parameter: .reverb(.damping), least: 500, greatest: 20_000, also: reverb),
    Turn(parameter: .reverb(.predelay), least: 0, greatest: 0.25, also: reverb),
    Turn(parameter: .reverb(.mix), least: 0, greatest: 1, also: reverb),
    Turn(parameter: .mixer(.bypass), least: 0, greatest: 1, also: echo + reverb),
  ]

  @Test(arguments: turns)
  private func `a jump between its extremes does not click`(turn: Turn) {
    let host = OfflineHost()
    // Quiet enough not to trigger the limiter in any combination.
    let tone = Tone.sine(200, amplitude: 0.05, frames: 96_000)
    for (parameter, value) in turn.also { host.send(Command(.set(parameter, value))) }
    host.send(Command(.set(turn.parameter, turn.least)))
    var output: [Float] = []
    func play(_ frames: Int) {
      output += host.render(Array(tone[output.count..<output.count + frames]), block: 64).left
    }
    play(30_000)
    for (index, value) in [turn.greatest, turn.least, turn.greatest].enumerated() {
      host.send(Command(.set(turn.parameter, value)))
      play(index == 1 ? 12_345 : 20_001)
    }
    // The reference is the roughness before the first change and a while after the last, or that of
    // the input if it is greater.
    let steady = max(
      Measure.roughness(output[20_000..<30_000]), Measure.roughness(output[70_000...]),
      Measure.roughness(tone))
    #expect(Measure.roughness(output[29_000...]) < 2 * steady)
  }
}
