internal import DSP
internal import Engine
internal import OSC

/// The pitch correction of the live input.
///
/// All values are parameters of the engine, except the pitches.
final class PitchCorrection: Feature {
  private let context: Context
  private var reading = PolledReading(path)

  init(_ context: Context) { self.context = context }

  /// The detected pitch, the corrected pitch and the target, as MIDI note numbers in steps of a cent.
  private var pitches: [Argument] {
    [context.shared.tune.sung, context.shared.tune.heard, context.shared.tune.target].map {
      .float($0 < 0 ? -1 : ($0 * 100).rounded() / 100)
    }
  }

  /// Announces the pitches to subscribers when they change.
  func poll(_ now: Double) -> Int? { reading.poll(context, pitches) }
}

extension PitchCorrection {
  private static let path = "/singing"

  static let addresses: [Address] = [
    Address(
      "/tune/on", .whole(.tune(.on), 0...1), belongsToPreset: true, kept: .session,
      "1 enables pitch correction: it shifts the live input to the nearest note of /tune/scale"),
    number("/tune/amount", .amount, 0...1, "Share of the pitch error that is corrected"),
    number(
      "/tune/speed", .speed, 0...500, unit: "ms",
      "Time constant of the correction; 0 jumps from note to note, above 100 slides remain slides"),
    number("/tune/vibrato", .vibrato, 0...1, "Share of the vibrato that is preserved"),
    Address(
      "/tune/scale", .choice(.tune(.scale), ["grid", "chromatic", "held"]),
      belongsToPreset: true, kept: .session,
      "Target notes: the grid's root and scale, all notes of its tuning, or the notes held on the grid and MIDI "
        + "keyboards, in any octave"),
    Address(
      path, Declaring<PitchCorrection>.reading("fff", isAnnounced: false) { $0.pitches },
      "Detected pitch, corrected pitch and target note of /tune, as fractional MIDI note numbers, -1 for none; sent "
        + "to subscribers on change, up to 30 times per second"),
  ]

  private static func number(
    _ path: String, _ parameter: Parameter.Tune, _ range: ClosedRange<Float>,
    unit: String = "", _ help: String
  ) -> Address {
    Address(
      path, .number(.tune(parameter), range), unit: unit, belongsToPreset: true, kept: .session,
      help)
  }
}
