internal import DSP
internal import Engine
internal import Music
internal import OSC

/// The harmony voices of the live input.
///
/// All values are parameters of the engine, except the present notes.
final class HarmonySinging: Feature {
  private let context: Context
  private var reading = PolledReading(path)

  init(_ context: Context) { self.context = context }

  /// The notes of the voices, as MIDI note numbers in steps of a cent, and the name of the chord.
  private var notes: [Argument] {
    let notes = (0..<Parameter.harmonyVoices).map { voice in
      let note = context.shared.harmonies.note(voice)
      return Argument.float(note.isFinite && note >= 0 ? (note * 100).rounded() / 100 : -1)
    }
    let chord = context.shared.harmonies.chord.map {
      "\(NoteName(Int($0.root), inFlats: true))\($0.shape.suffix)"
    }
    return notes + [.string(chord ?? "")]
  }

  /// Announces the notes to subscribers when they change.
  func poll(_ now: Double) -> Int? { reading.poll(context, notes) }
}

extension HarmonySinging {
  private static let path = "/harmonies"
  private static let intervals = [
    "octaveDown", "6thDown", "5thDown", "4thDown", "3rdDown", "unison", "3rdUp", "4thUp", "5thUp",
    "6thUp", "octaveUp", "held", "chord",
  ]

  static let addresses: [Address] =
    (1...Parameter.harmonyVoices).flatMap(voice) + [
      Address(
        "/harmony/chords", .choice(.mixer(.harmonyChords), ["none", "in_1", "in_2"]),
        belongsToPreset: true, kept: .session,
        "Input that plays the chords for voices with the interval chord; the other input is the voice, for pitch "
          + "correction and harmonies"),
      Address(
        path, Declaring<HarmonySinging>.reading("ffffs", isAnnounced: false) { $0.notes },
        "Notes of the four harmony voices, as fractional MIDI note numbers, -1 for none, and the chord that is played; "
          + "sent to subscribers on change, up to 30 times per second"),
    ]

  /// The addresses of a voice, counted from 1.
  private static func voice(_ number: Int) -> [Address] {
    let index = UInt8(number - 1)
    func value(
      _ name: String, _ parameter: Parameter.Harmony, _ range: ClosedRange<Float>,
      unit: String = "",
      _ help: String
    ) -> Address {
      Address(
        "/harmony/\(number)/\(name)", .number(.harmony(parameter, index), range), unit: unit,
        belongsToPreset: true, kept: .session, help)
    }
    return [
      Address(
        "/harmony/\(number)/on", .whole(.harmony(.on, index), 0...1), belongsToPreset: true,
        kept: .session, "1 enables this harmony voice of the live input"),
      Address(
        "/harmony/\(number)/interval", .choice(.harmony(.interval, index), intervals),
        belongsToPreset: true, kept: .session,
        "Note of the voice: an interval in the grid's scale, a note that is held on the grid or a MIDI keyboard, or a "
          + "note of the chord at /harmony/chords"),
      value("gain", .gain, -90...24, unit: "dB", "Gain of the voice; -90 is silence"),
      value("pan", .pan, -1...1, "Pan of the voice, from left (-1) to right (1)"),
      value(
        "formant", .formant, -12...12, unit: "semitones",
        "Formant shift of the voice: below 0 it sounds larger, above smaller"),
      value("detune", .detune, -100...100, unit: "cents", "Detuning of the voice"),
      value(
        "delay", .delay, 0...200, unit: "ms",
        "Delay of the voice, in addition to the 20 ms of its engine"),
    ]
  }
}
