internal import Engine
internal import Music
internal import OSC

extension Fingerboard {
  static let noteOff = "/note/off"
  static let allOff = "/note/allOff"

  private static let key = Form.needed("key", .whole, in: 0...127)
  private static let octaves =
    Double(Piano.possibleOctaves.lowerBound)...Double(Piano.possibleOctaves.upperBound)
  private static let velocity = Form.optional("velocity", .number, in: 0...1)

  /// Notes by number, and the keys of a piano.
  static let ofTheNotes: [Address] =
    [
      Address(
        "/note/on", gesture([key, velocity], Fingerboard.playKey),
        "Starts the note of a MIDI key in the current tuning; velocity 0.8 if none is given, 0 "
          + "ends it"),
      Address(noteOff, gesture([key], Fingerboard.endKey), "Ends the note of a key, if it is held"),
      Address(
        allOff, gesture(isButton: true, Fingerboard.endAllNotes),
        "Ends all notes of all clients, and the phrase"),
      setting(
        "/piano/octave", .needed("octave", .whole, in: octaves),
        property: \.gridState.piano.octave, Fingerboard.setPianoOctave,
        "Octave of the keys of /piano; 4, the default, starts with middle C"),
    ]
    + (1...7).map { number in
      let name = Piano.name(key: number).map { "\($0)" } ?? ""
      return Address(
        "/piano/\(number)",
        gesture([velocity]) { board in
          { request, plan throws(Refusal) in
            try board.playPiano(number, request, into: &plan)
          }
        },
        "Key \(name) of the octave: starts its note with a velocity, 0 ends it")
    }
}
