internal import Music
internal import OSC

extension Address {
  /// Scales: those that come with the instrument, and one's own.
  static let ofTheScales: [Address] = [
    Address(
      "/scales",
      .reading(types: "s…", isAnnounced: true) { node in
        node.keyboard.scales.names.map(Argument.string)
      },
      "Answers with the names of all scales, one's own at the end"),
    Address(
      "/scale/user",
      .arrangement([
        .needed("name", .text), .rest("semitones", .whole, in: 0...Double(Tuning.mostNotes - 1)),
      ]) { node in
        node.ownScales.map(Argument.string)
      } make: { node, request, plan throws(Refusal) in
        let steps = request.arguments.indices.dropFirst().compactMap { request.whole($0) }
        try node.addScale(request.text(0) ?? "", steps, request, into: &plan)
      },
      "Keeps a scale of your own: its name, and its notes in rising semitones above the root; "
        + "without arguments, answers with all of them, each as name:0,3,7"),
    Address(
      "/scale/delete",
      .gesture([.needed("name", .text)], isButton: false) { node, request, plan throws(Refusal) in
        try node.deleteScale(request.text(0) ?? "", request, into: &plan)
      },
      "Deletes a scale of your own; where it is in use, the grid is chromatic then"),
  ]
}
