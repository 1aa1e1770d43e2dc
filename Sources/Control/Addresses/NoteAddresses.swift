internal import Engine
internal import Music
internal import OSC

extension Address {
  private static let key = Form.needed("key", .whole, in: 0...127)
  private static let velocity = Form.optional("velocity", .number, in: 0...1)

  /// Notes by their numbers, and the keys of a piano.
  static let ofTheNotes: [Address] =
    [
      Address(
        "/note/on",
        .gesture([key, velocity], isButton: false) { node, request, plan throws(Refusal) in
          let key = request.whole(0) ?? 0
          try node.play(
            .key(UInt8(key)), key: key, velocity: request.number(1), request, into: &plan)
        },
        "Begins the note of a MIDI key in the present tuning; velocity 0.8 where none is given, 0 "
          + "ends it"),
      Address(
        "/note/off",
        .gesture([key], isButton: false) { node, request, plan in
          node.end(.key(UInt8(request.whole(0) ?? 0)), request, into: &plan)
        },
        "Ends the note of a key; nothing where it was not begun"),
      Address(
        "/note/allOff",
        .gesture([], isButton: true) { node, request, plan in
          node.endAllNotes(request, into: &plan)
        },
        "Ends all notes, whoever plays them, and the phrase"),
      Address(
        "/piano/octave",
        .arrangement([
          .needed(
            "octave", .whole,
            in: Double(Piano.possibleOctaves.lowerBound)...Double(Piano.possibleOctaves.upperBound))
        ]) { node in
          [.int32(Int32(node.keyboard.piano.octave))]
        } make: { node, request, _ throws(Refusal) in
          do throws(MusicFault) {
            node.keyboard.piano = try Piano(octave: request.whole(0) ?? Piano.initialOctave)
          } catch {
            throw Refusal(error)
          }
        },
        "Which octave the keys of /piano play; 4, at first, begins with middle C"),
    ]
    + (1...7).map { number in
      let name = Piano.name(key: number).map { "\($0)" } ?? ""
      return Address(
        "/piano/\(number)",
        .gesture([velocity], isButton: false) { node, request, plan throws(Refusal) in
          let key = node.keyboard.piano.notes[number - 1]
          try node.play(
            .piano(UInt8(number)), key: key, velocity: request.number(0), request, into: &plan)
        },
        "The key \(name) of the octave: begins its note with a velocity, 0 ends it")
    }
}
