internal import Engine

/// A value of a loop: the declaration of its address, once for all loops.
struct LoopValue: Sendable {
  /// The last part of its address.
  let name: String
  /// The engine's parameter.
  let parameter: Parameter.Loop
  private let kind: @Sendable (Parameter) -> Address.Kind
  private let unit: String
  private let allowsZero: Bool
  private let help: String

  private init(
    _ name: String, _ parameter: Parameter.Loop,
    _ kind: @escaping @Sendable (Parameter) -> Address.Kind, unit: String = "",
    allowsZero: Bool = true, _ help: String
  ) {
    self.name = name
    self.parameter = parameter
    self.kind = kind
    self.unit = unit
    self.allowsZero = allowsZero
    self.help = help
  }

  /// The address of the value of one loop, counted from 0.
  func address(ofLoop index: Int) -> Address {
    Address(
      "/loop/\(index + 1)/\(name)", kind(.loop(parameter, UInt8(index))), unit: unit,
      allowsZero: allowsZero, kept: .session, family: index == 0 ? .first : .further, help)
  }

  /// All values, in the order in which they are listed.
  static let all: [LoopValue] = [
    LoopValue(
      "gain", .gain, { .number($0, -90...24) }, unit: "dB",
      "Gain of the loop in the mix and on its stem; -90 is silence"),
    LoopValue("pan", .pan, { .number($0, -1...1) }, "Pan, from left (-1) to right (1)"),
    LoopValue("mute", .mute, { .whole($0, 0...1) }, "1 mutes the loop while it keeps running"),
    LoopValue(
      "route", .route, { .choice($0, ["chain", "direct", "off"]) },
      "Output of the loop: through the effects, past them, or to its stem only"),
    LoopValue(
      "semitones", .semitones, { .number($0, -24...24) }, unit: "semitones",
      "Pitch shift of the loop"),
    LoopValue(
      "rate", .rate, { .number($0, 0.25...4) },
      "Playback speed of the loop, without change of pitch"),
    LoopValue(
      "engine", .engine, { .choice($0, ["live", "voice", "studio"]) },
      "Engine for pitch and speed of the loop; see /pitch/engine"),
    LoopValue(
      "direction", .direction, { .whole($0, -1...1) }, allowsZero: false,
      "Playback direction: 1 is forward, -1 is reverse"),
    LoopValue("loop", .loop, { .whole($0, 0...1) }, "1 repeats the clip, 0 plays it once"),
    LoopValue(
      "source", .source, { .choice($0, ["live", "grid", "mix"]) },
      "Recording source: the dry live input, the grid, or the whole mix"),
    LoopValue(
      "quantize", .quantize, { .choice($0, ["off", "beat", "bar", "loop"]) },
      "Quantization of the start and end of recording, playback and overdubbing: to a beat, a bar, or "
        + "a cycle of the first playing loop"),
    LoopValue(
      "beats", .beats, { .number($0, 0...64) }, unit: "beats",
      "Length of a recording; 0 records until stopped"),
    LoopValue(
      "threshold", .threshold, { .number($0, -90...0) }, unit: "dB",
      "Input level that starts an armed recording; -90 starts at once"),
    LoopValue(
      "feedback", .feedback, { .number($0, 0...1) },
      "Feedback: level of the loop under an overdub, per cycle"),
    LoopValue(
      "after", .after, { .choice($0, ["play", "overdub", "stop"]) },
      "Next state when record or the pedal ends a recording"),
    LoopValue(
      "pedal/long", .long, { .choice($0, meanings) },
      "Command of a long press (/settings/press/long); stop clears a stopped loop"),
    LoopValue(
      "pedal/double", .double, { .choice($0, meanings) },
      "Command of a double press (/settings/press/double)"),
  ]

  private static let meanings = PedalMeaning.allCases.map { "\($0)" }
}
