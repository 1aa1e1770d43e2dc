internal import Engine

/// The effects that all sources on the route `chain` go through: all of it values of the audio's.
final class Chain: Feature {
  init(_ context: Context) {}

  static let addresses: [Address] =
    pitch + stretch + echo + reverb + [
      Address(
        "/chain/bypass", .whole(.mixer(.bypass), 0...1), kept: .session,
        "1 bypasses all effects, whatever they are set to"),
      Address(
        "/chain/reset",
        Of<Chain>.command(isButton: true) { _, _ in PlannedCommand(action: .resetChain) },
        "Clears the effects: echoes, reverb, and what a stretch has kept back"),
    ]

  private static let pitch = [
    flag(
      "/pitch/on", .warp(.pitchOn),
      "1 turns the pitch shifter on"),
    number(
      "/pitch/semitones", .warp(.semitones), -24...24, unit: "semitones",
      "Pitch shift; 12 is an octave up"),
    number(
      "/pitch/formant", .warp(.formant), -24...24, unit: "semitones",
      "Formant shift on its own; in the voice engine"),
    number(
      "/pitch/mix", .warp(.mix), 0...1,
      "Mix of the pitch shifter: 0 is dry, 1 is wet"),
    Address(
      "/pitch/engine", .choice(.warp(.engine), ["live", "voice", "studio"]),
      belongsToPreset: true, kept: .session,
      "Engine for pitch and speed: live has the least delay, voice keeps the formants, studio is "
        + "for chords"),
  ]

  private static let stretch = [
    flag(
      "/stretch/on", .warp(.stretchOn),
      "1 turns the time stretch on"),
    number(
      "/stretch/rate", .warp(.rate), 0.25...4,
      "Speed, at the same pitch: 0.5 is half as fast; the live input jumps back to now where it "
        + "can go no further"),
  ]

  private static let echo = [
    flag(
      "/echo/on", .echo(.on),
      "1 turns the echo on"),
    number(
      "/echo/time", .echo(.time), 0.001...10, unit: "s",
      "Delay time, from one echo to the next"),
    number(
      "/echo/beats", .echo(.beats), 0...16, unit: "beats",
      "Delay time in beats of the metronome; 0 uses /echo/time"),
    number(
      "/echo/feedback", .echo(.feedback), 0...1.1,
      "Feedback: how much of each echo comes again; from 1 on it does not end"),
    number(
      "/echo/tone", .echo(.tone), 200...20000, unit: "Hz",
      "Low-pass filter of the feedback: above this each echo is duller than the one before"),
    number(
      "/echo/lowcut", .echo(.lowcut), 20...2000, unit: "Hz",
      "High-pass filter of the feedback: below this each echo is thinner than the one before"),
    number(
      "/echo/spread", .echo(.spread), 0...1,
      "Stereo spread of the echoes: 0 stay where the sound is, 1 alternate (ping-pong)"),
    flag(
      "/echo/glide", .echo(.glide),
      "1 glides to a new time as a tape does, in pitch too; 0 crossfades to it"),
    flag(
      "/echo/hold", .echo(.hold), kept: nil,
      "1 holds the echo: it repeats without end, and takes nothing in"),
    number(
      "/echo/mix", .echo(.mix), 0...1,
      "Mix of the echo: 0 is dry, 1 is the echo alone"),
  ]

  private static let reverb = [
    flag(
      "/reverb/on", .reverb(.on),
      "1 turns the reverb on"),
    number(
      "/reverb/decay", .reverb(.decay), 0.1...30, unit: "s",
      "Decay time: how long the reverb takes to fall by 60 dB"),
    number(
      "/reverb/size", .reverb(.size), 0...1,
      "Room size: 0 is a chamber, 1 a cathedral"),
    number(
      "/reverb/damping", .reverb(.damping), 500...20000, unit: "Hz",
      "Damping: above this the reverb decays sooner"),
    number(
      "/reverb/predelay", .reverb(.predelay), 0...0.25, unit: "s",
      "Predelay, from the sound to the beginning of its reverb"),
    number(
      "/reverb/mix", .reverb(.mix), 0...1,
      "Mix of the reverb: 0 is dry, 1 is the reverb alone"),
  ]

  private static func flag(
    _ path: String, _ parameter: Parameter, kept: Kept? = .session,
    _ help: String
  ) -> Address {
    Address(
      path, .whole(parameter, 0...1), belongsToPreset: true,
      kept: kept, help)
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
