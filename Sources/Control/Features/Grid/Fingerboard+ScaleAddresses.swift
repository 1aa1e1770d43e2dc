internal import Music
internal import OSC

extension Fingerboard {
  static let (scales, userScale, deletion) = ("/scales", "/scale/user", "/scale/delete")

  /// Scales: the built-in ones, and the user's.
  static let ofTheScales: [Address] = [
    Address(
      scales, Declared.reading(\.gridState.scales.names),
      "Names of all scales, user scales last"),
    setting(
      userScale, .needed("name", .text),
      .rest("semitones", .whole, in: 0...Double(Tuning.mostNotes - 1)), property: \.ownScales,
      Fingerboard.addScale,
      kept: Declared.kept(.home) { board in
        board.ownScales.joined(separator: " ")
      } restore: { board, text in
        board.restoreScales(text)
      },
      "Saves a user scale: its name, and its notes in ascending semitones above the root; "
        + "without arguments, replies with all, each as name:0,3,7"),
    Address(
      deletion, gesture([.needed("name", .text)], Fingerboard.deleteScale),
      "Deletes a user scale; if it is in use, the grid becomes chromatic"),
  ]
}
