internal import Engine

/// The effects on the route `chain`.
///
/// All values are parameters of the engine.
final class Chain: Feature {
  init(_ context: Context) {}

  static let addresses: [Address] =
    pitch + stretch + echo + reverb + [
      Address(
        "/chain/bypass", .whole(.mixer(.bypass), 0...1), kept: .session,
        "1 bypasses all effects"),
      Address(
        "/chain/reset",
        Declaring<Chain>.command(isButton: true) { _, _ in PlannedCommand(action: .resetChain) },
        "Clears the effects: echoes, reverb, and the delay of a time stretch"),
    ]

  private static let pitch = [
    flag("/pitch/on", .warp(.pitchOn), "1 enables the pitch shifter"),
    number("/pitch/semitones", .warp(.semitones), -24...24, unit: "semitones", "Pitch shift"),
    number(
      "/pitch/formant", .warp(.formant), -24...24, unit: "semitones",
      "Formant shift, independent of pitch; voice engine only"),
    number("/pitch/mix", .warp(.mix), 0...1, "Dry/wet mix of the pitch shifter"),
    Address(
      "/pitch/engine", .choice(.warp(.engine), ["live", "voice", "studio"]),
      belongsToPreset: true, kept: .session,
      "Engine for pitch and speed: live has the lowest latency, voice preserves formants, studio is "
        + "for chords"),
  ]

  private static let stretch = [
    flag("/stretch/on", .warp(.stretchOn), "1 enables the time stretch"),
    number(
      "/stretch/rate", .warp(.rate), 0.25...4,
      "Speed without change of pitch: 0.5 is half speed; the live input jumps to the present when it "
        + "can go no further"),
  ]

  private static let echo = [
    flag("/echo/on", .echo(.on), "1 enables the echo"),
    number("/echo/time", .echo(.time), 0.001...10, unit: "s", "Delay time"),
    number(
      "/echo/beats", .echo(.beats), 0...16, unit: "beats",
      "Delay time in beats; 0 uses /echo/time"),
    number("/echo/feedback", .echo(.feedback), 0...1.1, "Feedback; from 1 the echo never ends"),
    number(
      "/echo/tone", .echo(.tone), 200...20000, unit: "Hz",
      "Cutoff of the low-pass filter in the feedback path"),
    number(
      "/echo/lowcut", .echo(.lowcut), 20...2000, unit: "Hz",
      "Cutoff of the high-pass filter in the feedback path"),
    number(
      "/echo/spread", .echo(.spread), 0...1,
      "Stereo spread: 0 keeps the echoes in place, 1 alternates sides (ping-pong)"),
    flag(
      "/echo/glide", .echo(.glide),
      "Change of delay time: 1 glides like tape, with pitch; 0 crossfades"),
    flag(
      "/echo/hold", .echo(.hold), kept: nil,
      "1 freezes the echo: it repeats endlessly, without new input"),
    number("/echo/mix", .echo(.mix), 0...1, "Dry/wet mix of the echo"),
  ]

  private static let reverb = [
    flag("/reverb/on", .reverb(.on), "1 enables the reverb"),
    number("/reverb/decay", .reverb(.decay), 0.1...30, unit: "s", "Decay time (RT60)"),
    number("/reverb/size", .reverb(.size), 0...1, "Room size, from chamber (0) to cathedral (1)"),
    number(
      "/reverb/damping", .reverb(.damping), 500...20000, unit: "Hz",
      "Damping: frequency above which the reverb decays faster"),
    number("/reverb/predelay", .reverb(.predelay), 0...0.25, unit: "s", "Predelay"),
    number("/reverb/mix", .reverb(.mix), 0...1, "Dry/wet mix of the reverb"),
  ]

  private static func flag(
    _ path: String, _ parameter: Parameter, kept: Kept? = .session,
    _ help: String
  ) -> Address {
    Address(path, .whole(parameter, 0...1), belongsToPreset: true, kept: kept, help)
  }

  private static func number(
    _ path: String, _ parameter: Parameter, _ range: ClosedRange<Float>,
    unit: String = "", _ help: String
  ) -> Address {
    Address(
      path, .number(parameter, range), unit: unit, belongsToPreset: true,
      kept: .session, help)
  }
}
