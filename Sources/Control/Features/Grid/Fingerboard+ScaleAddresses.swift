internal import Music
internal import OSC

extension Fingerboard {
  static let (scales, userScale, deletion) = ("/scales", "/scale/user", "/scale/delete")

  /// Scales: those that come with the instrument, and one's own.
  static let ofTheScales: [Address] = [
    Address(
      scales,
      Declared.reading(types: "s…", isAnnounced: true) { board in
        board.keyboard.scales.names.map(Argument.string)
      },
      "Answers with the names of all scales, your own at the end"),
    Address(
      userScale,
      arrangement([
        .needed("name", .text), .rest("semitones", .whole, in: 0...Double(Tuning.mostNotes - 1)),
      ]) { board in
        board.ownScales.map(Argument.string)
      } plan: { board, request, plan throws(Refusal) in
        let steps = request.arguments.indices.dropFirst().compactMap { request.whole($0) }
        try board.addScale(request.text(0) ?? "", steps, request, into: &plan)
      },
      kept: Declared.kept(.home) { board in
        board.ownScales.joined(separator: " ")
      } restore: { board, text in
        board.restoreScales(text)
      },
      "Saves a scale of your own: its name, and its notes in rising semitones above the root; "
        + "without arguments, answers with all of them, each as name:0,3,7"),
    Address(
      deletion,
      gesture([.needed("name", .text)]) { board, request, plan throws(Refusal) in
        try board.deleteScale(request.text(0) ?? "", request, into: &plan)
      },
      "Deletes a scale of your own; if it is in use, the grid becomes chromatic"),
  ]
}
