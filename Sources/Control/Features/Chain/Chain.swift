internal import Engine

/// The effects that all sources on the route `chain` go through: all of it values of the audio's.
final class Chain: Feature {
  init(_ context: Context) {}

  static let addresses: [Address] =
    pitch + stretch + echo + reverb + [
      Address(
        "/chain/bypass", .whole(.chainBypass, 0...1, initial: 0), kept: .session,
        "1 lets everything past the effects, whatever they are set to"),
      Address(
        "/chain/reset",
        Of<Chain>.command(isButton: true) { _, _ in PlannedCommand(action: .resetChain) },
        "Silences what the effects still hold: echoes, reverb, and what a stretch has kept back"),
    ]

  private static let pitch = [
    flag("/pitch/on", .pitchOn, initial: 1, "1 lets the sound through the pitch changer"),
    number(
      "/pitch/semitones", .pitchSemitones, -24...24, initial: 0, unit: "semitones",
      "How much higher the sound becomes; 12 is an octave"),
    number(
      "/pitch/formant", .pitchFormant, -24...24, initial: 0, unit: "semitones",
      "Moves the formants on their own, in the voice engine"),
    number(
      "/pitch/mix", .pitchMix, 0...1, initial: 1,
      "How much of the changed sound there is: 0 is the unchanged alone, 1 the changed"),
    Address(
      "/pitch/engine", .choice(.pitchEngine, ["live", "voice", "studio"], initial: 0),
      belongsToPreset: true, kept: .session,
      "How pitch and speed are changed: live is least delayed, voice keeps the formants, studio "
        + "is for chords"),
  ]

  private static let stretch = [
    flag("/stretch/on", .stretchOn, initial: 1, "1 lets the sound through the stretch"),
    number(
      "/stretch/rate", .stretchRate, 0.25...4, initial: 1,
      "How fast the sound goes, at the same pitch; the live input leaps back to now where it can "
        + "go no further"),
  ]

  private static let echo = [
    flag("/echo/on", .echoOn, initial: 0, "1 lets the sound through the echo"),
    number(
      "/echo/time", .echoTime, 0.001...10, initial: 0.35, unit: "s", "From one echo to the next"),
    number(
      "/echo/beats", .echoBeats, 0...16, initial: 0, unit: "beats",
      "From one echo to the next, in beats of the metronome; 0 uses the time in seconds"),
    number(
      "/echo/feedback", .echoFeedback, 0...1.1, initial: 0.4,
      "How much of each echo comes again; from 1 on it does not end"),
    number(
      "/echo/tone", .echoTone, 200...20000, initial: 6000, unit: "Hz",
      "Above this each echo is duller than the one before"),
    number(
      "/echo/lowcut", .echoLowcut, 20...2000, initial: 80, unit: "Hz",
      "Below this each echo is thinner than the one before"),
    number(
      "/echo/spread", .echoSpread, 0...1, initial: 0,
      "How far the echoes go from side to side: 0 stay where the sound is, 1 alternate"),
    flag(
      "/echo/glide", .echoGlide, initial: 0,
      "1 slides to a new time as a tape does, in pitch too; 0 fades over to it"),
    flag(
      "/echo/hold", .echoHold, initial: 0, kept: nil,
      "1 repeats what is in the echo, and takes nothing in"),
    number(
      "/echo/mix", .echoMix, 0...1, initial: 0.35,
      "How much of the echo there is: 0 is the sound without it, 1 the echo alone"),
  ]

  private static let reverb = [
    flag("/reverb/on", .reverbOn, initial: 0, "1 lets the sound through the reverb"),
    number(
      "/reverb/decay", .reverbDecay, 0.1...30, initial: 2, unit: "s",
      "How long the reverb takes to fall by 60 dB"),
    number(
      "/reverb/size", .reverbSize, 0...1, initial: 0.5,
      "How large the room is: 0 is a chamber, 1 a cathedral"),
    number(
      "/reverb/damping", .reverbDamping, 500...20000, initial: 6000, unit: "Hz",
      "Above this the reverb decays sooner"),
    number(
      "/reverb/predelay", .reverbPredelay, 0...0.25, initial: 0.01, unit: "s",
      "From the sound to the beginning of its reverb"),
    number(
      "/reverb/mix", .reverbMix, 0...1, initial: 0.3,
      "How much of the reverb there is: 0 is the sound without it, 1 the reverb alone"),
  ]

  private static func flag(
    _ path: String, _ parameter: Parameter, initial: Int, kept: Kept? = .session,
    _ help: String
  ) -> Address {
    Address(
      path, .whole(parameter, 0...1, initial: initial), belongsToPreset: true,
      kept: kept, help)
  }

  private static func number(
    _ path: String, _ parameter: Parameter, _ range: ClosedRange<Float>, initial: Float,
    unit: String = "", _ help: String
  ) -> Address {
    Address(
      path, .number(parameter, range, initial: initial), unit: unit, belongsToPreset: true,
      kept: .session, help)
  }
}
