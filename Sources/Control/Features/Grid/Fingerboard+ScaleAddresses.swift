internal import Music
internal import OSC

extension Fingerboard {
  static let (scales, userScale, deletion) = ("/scales", "/scale/user", "/scale/delete")

  /// Scales: the built-in ones, and the user's.
  static let ofTheScales: [Address] = [
    Address(
      scales,
      Declared.reading(types: "s…", isAnnounced: true) { board in
        board.gridState.scales.names.map(Argument.string)
      },
      "Names of all scales, user scales last"),
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
      "Saves a user scale: its name, and its notes in ascending semitones above the root; "
        + "without arguments, replies with all, each as name:0,3,7"),
    Address(
      deletion,
      gesture([.needed("name", .text)]) { board, request, plan throws(Refusal) in
        try board.deleteScale(request.text(0) ?? "", request, into: &plan)
      },
      "Deletes a user scale; if it is in use, the grid becomes chromatic"),
  ]
}
