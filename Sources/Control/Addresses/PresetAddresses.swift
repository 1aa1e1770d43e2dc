internal import OSC

extension Address {
  /// Presets: many values under one name.
  static let ofThePresets: [Address] = [
    Address(
      "/preset",
      .selection(
        read: { $0.presets.loaded },
        make: { node, request throws(Refusal) in
          try node.commands(forPreset: request.text(0) ?? "", for: request.client)
        }),
      "Sets all values of the preset of this name, as one, then answers /reply; without a name, "
        + "answers with the one loaded last"),
    Address(
      "/preset/save",
      .errand([.needed("name", .text)]) { node, request throws(Refusal) in
        try node.savePreset(request.text(0) ?? "", for: request.client)
      },
      "Keeps the present values of the effects as a preset of this name, then answers /reply"),
    Address(
      "/preset/delete",
      .errand([.needed("name", .text)]) { node, request throws(Refusal) in
        try node.deletePreset(request.text(0) ?? "", for: request.client)
      },
      "Deletes a preset that was saved, then answers /reply; a shipped one that it hid comes out "
        + "again"),
    Address(
      "/presets",
      .reading(types: "s…", isAnnounced: true) { node in
        node.presets.names.map(Argument.string)
      },
      "Answers with the names of all presets, in order"),
  ]
}
