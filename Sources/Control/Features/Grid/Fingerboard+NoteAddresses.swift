internal import Engine
internal import Music
internal import OSC

extension Fingerboard {
  static let noteOff = "/note/off"
  static let allOff = "/note/allOff"

  private static let key = Form.needed("key", .whole, in: 0...127)
  private static let velocity = Form.optional("velocity", .number, in: 0...1)

  /// Notes by number, and the keys of a piano.
  static let ofTheNotes: [Address] =
    [
      Address(
        "/note/on",
        gesture([key, velocity]) { board, request, plan throws(Refusal) in
          let key = request.whole(0) ?? 0
          try board.play(
            .key(UInt8(key)), key: key, velocity: request.number(1), request, into: &plan)
        },
        "Starts the note of a MIDI key in the current tuning; velocity 0.8 if none is given, 0 "
          + "ends it"),
      Address(
        noteOff,
        gesture([key]) { board, request, plan in
          board.endNote(.key(UInt8(request.whole(0) ?? 0)), request, into: &plan)
        },
        "Ends the note of a key, if it is held"),
      Address(
        allOff,
        gesture(isButton: true) { board, request, plan in
          board.endAllNotes(request, into: &plan)
        },
        "Ends all notes of all clients, and the phrase"),
      Address(
        "/piano/octave",
        arrangement([
          .needed(
            "octave", .whole,
            in: Double(Piano.possibleOctaves.lowerBound)...Double(Piano.possibleOctaves.upperBound))
        ]) { board in
          [.int32(Int32(board.gridState.piano.octave))]
        } plan: { board, request, _ throws(Refusal) in
          do throws(MusicFault) {
            board.gridState.piano = try Piano(octave: request.whole(0) ?? Piano.initialOctave)
          } catch {
            throw Refusal(error)
          }
        },
        kept: .home,
        "Octave of the keys of /piano; 4, the default, starts with middle C"),
    ]
    + (1...7).map { number in
      let name = Piano.name(key: number).map { "\($0)" } ?? ""
      return Address(
        "/piano/\(number)",
        gesture([velocity]) { board, request, plan throws(Refusal) in
          let key = board.gridState.piano.notes[number - 1]
          try board.play(
            .piano(UInt8(number)), key: key, velocity: request.number(0), request, into: &plan)
        },
        "Key \(name) of the octave: starts its note with a velocity, 0 ends it")
    }
}
