internal import Engine
internal import OSC

extension Address {
  /// Keyboards and synthesizers.
  static let ofMIDI: [Address] = [
    Address(
      "/midi/snap", .whole(.midiSnap, 0...1, initial: 1), isKept: true,
      "1 lets a keyboard's keys sound the notes of the scale, those between them the nearest, the "
        + "lower where two are as near; 0 leaves them as they are"),
    Address(
      "/midi/bend", .number(.midiBend, 0...24, initial: 2), unit: "semitones", isKept: true,
      "How far a keyboard's pitch wheel bends, either way"),
    Address(
      "/midi/channel", .whole(.midiChannel, 1...16, initial: 1), isKept: true,
      "The channel of the notes that go out; those that come in are taken on all"),
    Address(
      "/midi/learn",
      .errand(
        [.needed("address", .text), .optional("controller", .whole, in: 0...127)],
        end: "/midi/learnt"
      ) { node, request throws(Refusal) in
        try node.learn(
          request.text(0) ?? "", controller: request.whole(1), for: request.client)
      },
      "Lets the controller that moves next, or this one, turn the address; answers /midi/learnt"),
    Address(
      "/midi/forget",
      .action([.needed("address", .text)], isButton: false) { node, request throws(Refusal) in
        try node.forgetBinding(request.text(0) ?? "", for: request.client)
      },
      "Lets no controller turn the address any more, nor wait for one"),
    Address(
      Bindings.path,
      .action([], isButton: false) { node, request in
        node.listBindings(for: request.client)
      },
      "Answers /midi/binding s:address i:controller for each that is bound, then "
        + "/midi/bindings/end i:count"),
    Address(
      "/midi/learnt", .sent(types: "si"),
      "Tells that the address s is turned by the controller i from now on"),
    Address("/midi/binding", .sent(types: "si"), "One of the answers to /midi/bindings"),
    Address("/midi/bindings/end", .sent(types: "i"), "The end of the answer to /midi/bindings"),
  ]
}
