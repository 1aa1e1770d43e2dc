internal import OSC

extension Address {
  /// What the grid and the keys sound like.
  static let ofTheInstruments: [Address] = [
    Address(
      "/grid/instrument",
      .errand(
        [.needed("name", .text)], read: { [.string($0.instruments.present)] }
      ) { node, request throws(Refusal) in
        try node.setInstrument(request.text(0) ?? "", for: request.client)
      },
      "Plays the instrument of this name as soon as it is loaded, then answers /reply, with a line "
        + "for each thing that is not as it should be; take makes one of the loop; without a name, "
        + "answers with the present one"),
    Address(
      "/instruments",
      .reading(types: "s…", isAnnounced: true) { node in
        node.instruments.names(askedBy: node).map(Argument.string)
      },
      "Answers with the names of all instruments, in order"),
    Address(
      "/instrument/load",
      .errand(
        [
          .needed("name", .text), .needed("file", .text),
          .optional("bank", .whole, in: 0...128), .optional("program", .whole, in: 0...127),
        ]
      ) { node, request throws(Refusal) in
        try node.addInstrument(
          request.text(0) ?? "", file: request.text(1) ?? "", bank: request.whole(2),
          program: request.whole(3), for: request.client)
      },
      "Makes a file of the home folder an instrument of this name: SF2 or SF3, of which bank and "
        + "program can be named, SFZ, or a folder of WAV files; then answers /reply likewise"),
    Address(
      "/instrument/delete",
      .errand([.needed("name", .text)]) { node, request throws(Refusal) in
        try node.deleteInstrument(request.text(0) ?? "", for: request.client)
      },
      "Forgets an instrument that was loaded from a file, which stays, then answers /reply"),
    Address(
      "/instrument/loading",
      .reading(types: "f", isAnnounced: true) { [.float($0.instruments.progress)] },
      "How much of the instrument that was asked for last is loaded, from 0 to 1"),
    Address(
      "/instrument/notes",
      .reading(types: "s…", isAnnounced: true) { $0.instruments.notes.map(Argument.string) },
      "What of the present instrument can't be played, or is not understood, a line each"),
  ]
}
