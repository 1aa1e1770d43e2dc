internal import Engine

/// A value of a loop: the declaration of its address, once for all loops.
struct LoopValue: Sendable {
  /// The engine's parameter.
  let parameter: Parameter.Loop
  let kind: @Sendable (Parameter) -> Address.Kind
  var unit = ""
  var allowsZero = true
  let help: String

  /// The last part of its address.
  var name: String {
    switch parameter {
    case .long, .double: "pedal/\(parameter)"
    default: "\(parameter)"
    }
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
      parameter: .gain, kind: { .number($0, -90...24) }, unit: "dB",
      help: "Gain of the loop in the mix and on its stem; -90 is silence"),
    LoopValue(
      parameter: .pan, kind: { .number($0, -1...1) },
      help: "Pan, from left (-1) to right (1)"),
    LoopValue(
      parameter: .mute, kind: { .whole($0, 0...1) },
      help: "1 mutes the loop while it keeps running"),
    LoopValue(
      parameter: .solo, kind: { .whole($0, 0...1) },
      help: "1 mutes all loops that are not soloed"),
    LoopValue(
      parameter: .route, kind: { .choice($0, ["chain", "direct", "off"]) },
      help: "Output of the loop: through the effects, past them, or to its stem only"),
    LoopValue(
      parameter: .semitones, kind: { .number($0, -24...24) }, unit: "semitones",
      help: "Pitch shift of the loop"),
    LoopValue(
      parameter: .rate, kind: { .number($0, 0.25...4) },
      help: "Playback speed of the loop, without change of pitch"),
    LoopValue(
      parameter: .speed, kind: { .number($0, 0.25...4) },
      help: "Varispeed of the loop: changes speed and pitch together; 0.5 is an octave lower"),
    LoopValue(
      parameter: .follow, kind: { .choice($0, ["off", "tempo", "lock"]) },
      help:
        "Whether the loop follows changes of the tempo at its own pitch: off, at the speed of the tempo, or locked to "
        + "the beat, too"),
    LoopValue(
      parameter: .engine, kind: { .choice($0, ["live", "voice", "studio"]) },
      help: "Engine for pitch and speed of the loop; see /pitch/engine"),
    LoopValue(
      parameter: .direction, kind: { .whole($0, -1...1) }, allowsZero: false,
      help: "Playback direction: 1 is forward, -1 is reverse"),
    LoopValue(
      parameter: .loop, kind: { .whole($0, 0...1) },
      help: "1 repeats the clip, 0 plays it once"),
    LoopValue(
      parameter: .source, kind: { .choice($0, ["live", "grid", "mix", "harmony"]) },
      help:
        "Recording source: the dry live input, the grid, the whole mix, or the harmonies of the live input"
    ),
    LoopValue(
      parameter: .quantize, kind: { .choice($0, ["off", "beat", "bar", "loop"]) },
      help:
        "Quantization of the start and end of recording, playback and overdubbing: to a beat, a bar, or "
        + "a cycle of the first playing loop"),
    LoopValue(
      parameter: .stopAt, kind: { .choice($0, ["now", "beat", "bar", "end"]) },
      help:
        "When a stop takes effect: at once, on the next beat or bar, or at the end of the cycle; a second one stops "
        + "at once"),
    LoopValue(
      parameter: .beats, kind: { .number($0, 0...64) }, unit: "beats",
      help: "Length of a recording; 0 records until stopped"),
    LoopValue(
      parameter: .threshold, kind: { .number($0, -90...0) }, unit: "dB",
      help: "Input level that starts an armed recording; -90 starts at once"),
    LoopValue(
      parameter: .feedback, kind: { .number($0, 0...1) },
      help: "Feedback: level of the loop under an overdub, per cycle"),
    LoopValue(
      parameter: .after, kind: { .choice($0, ["play", "overdub", "stop"]) },
      help: "Next state when record or the pedal ends a recording"),
    LoopValue(
      parameter: .long, kind: { .choice($0, meanings) },
      help: "Command of a long press (/settings/press/long); stop clears a stopped loop"),
    LoopValue(
      parameter: .double, kind: { .choice($0, meanings) },
      help: "Command of a double press (/settings/press/double)"),
  ]

  private static let meanings = PedalMeaning.allCases.map { "\($0)" }
}
