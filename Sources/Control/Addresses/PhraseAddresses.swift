internal import Engine
internal import OSC

extension Address {
  /// A phrase of notes that is recorded and played again.
  static let ofThePhrase: [Address] = [
    Address(
      "/phrase/record",
      .command([], isButton: true) { node, _ throws(Refusal) in
        try node.phrase.record(node.keyboard)
      },
      "Begins to record the notes that are played, up to ten seconds, in the place of the phrase "
        + "before"),
    Address(
      "/phrase/play",
      .command([], isButton: true) { node, request in
        var command = PlannedCommand(action: .playPhrase)
        command.whenRefused = { [weak node] _ in
          node?.answer(
            Refusal(.state, "no phrase is recorded yet; /phrase/record does, and then notes"),
            to: "/phrase/play", from: request.client)
        }
        return command
      },
      "Ends the recording, and plays the phrase from its beginning, beside what is played by hand"),
    Address(
      "/phrase/stop",
      .command([], isButton: true) { _, _ in PlannedCommand(action: .stopPhrase) },
      "Ends what is recorded or played of the phrase"),
    Address(
      "/phrase/notes",
      .reading(types: "s…", isAnnounced: true) { $0.phrase.names.map(Argument.string) },
      "Answers with the names of the phrase's notes, in order"),
    Address(
      "/phrase/note", .sent(types: "s"),
      "The name of a note of the phrase, sent to subscribers as it is played"),
    Address(
      "/phrase/state",
      .reading(types: "sffi", isAnnounced: true) { $0.phrase.status },
      "What the phrase does (stopped, recording, playing), position and length in seconds, and how "
        + "many notes it has"),
  ]
}
