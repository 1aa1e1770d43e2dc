internal import Engine
internal import OSC

extension Address {
  /// The capture: what comes in or goes out, to the disk, for as long as wanted.
  static let ofTheCapture: [Address] = [
    Address(
      "/capture/on",
      .toggle(
        read: { $0.capture.isOn },
        make: { node, isOn, request throws(Refusal) in
          try node.commandToCapture(isOn, for: request.client)
        }), isMomentary: true,
      "1 captures to the disk, 0 ends it and then answers /reply with the take's id; goes to 0 by "
        + "itself when the disk is full or too slow"),
    Address(
      "/capture/source", .choice(.captureSource, ["in", "out"], initial: 0),
      "What is captured: the input behind its gain, or what goes out; changed meanwhile, it goes "
        + "over by a crossfade"),
    Address(
      "/capture/format", .choice(.captureFormat, ["24", "float"], initial: 0),
      "How the next capture keeps its samples: as integers of 24 bits, or as they are"),
    Address(
      "/capture/state",
      .reading(types: "sfs", isAnnounced: true) { $0.captureState },
      "Whether a capture is on or off, how many seconds it has, or the last one had, and the id of "
        + "its take"),
  ]
}
