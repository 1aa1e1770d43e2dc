internal import CJack

/// A port of the node, as the JACK graph sees it.
struct PortPlan {
  /// The name that connections are kept by; never changes.
  let name: String
  /// The name for people.
  let prettyName: String
  /// The port group.
  let group: String
  let isInput: Bool
  let isMIDI: Bool

  /// All ports of a node with so many loops, in their order.
  static func all(loops: Int) -> [PortPlan] {
    let further = (1..<max(1, loops)).flatMap { index in
      [("left", 1), ("right", 2)].map { side, number in
        PortPlan(
          name: "loop\(index + 1)_\(number)", prettyName: "Loop \(index + 1) stem \(side)",
          group: "Loop \(index + 1) stem")
      }
    }
    return sounds + further + midi
  }

  /// Those for sound that every node has.
  static let sounds: [PortPlan] = [
    PortPlan(name: "in_1", prettyName: "Input left", group: "Input", isInput: true),
    PortPlan(name: "in_2", prettyName: "Input right", group: "Input", isInput: true),
    PortPlan(name: "out_1", prettyName: "Output left", group: "Output"),
    PortPlan(name: "out_2", prettyName: "Output right", group: "Output"),
    PortPlan(name: "live_1", prettyName: "Live stem left", group: "Live stem"),
    PortPlan(name: "live_2", prettyName: "Live stem right", group: "Live stem"),
    PortPlan(name: "loop_1", prettyName: "Loop stem left", group: "Loop stem"),
    PortPlan(name: "loop_2", prettyName: "Loop stem right", group: "Loop stem"),
    PortPlan(name: "grid_1", prettyName: "Grid stem left", group: "Grid stem"),
    PortPlan(name: "grid_2", prettyName: "Grid stem right", group: "Grid stem"),
    PortPlan(name: "click", prettyName: "Metronome", group: "Metronome"),
  ]

  private static let midi: [PortPlan] = [
    PortPlan(name: "midi_in", prettyName: "MIDI in", group: "MIDI", isInput: true, isMIDI: true),
    PortPlan(name: "midi_out", prettyName: "MIDI out", group: "MIDI", isMIDI: true),
  ]

  /// The names of those that hear the microphone, and of those that the mix goes out by.
  static let inputs = ["in_1", "in_2"]
  static let outputs = ["out_1", "out_2"]

  private init(
    name: String, prettyName: String, group: String, isInput: Bool = false, isMIDI: Bool = false
  ) {
    self.name = name
    self.prettyName = prettyName
    self.group = group
    self.isInput = isInput
    self.isMIDI = isMIDI
  }

  /// Registers the port; nil where the server refuses.
  func register(with client: OpaquePointer) -> OpaquePointer? {
    jack_port_register(
      client, name, isMIDI ? JACK_DEFAULT_MIDI_TYPE : JACK_DEFAULT_AUDIO_TYPE,
      UInt(isInput ? JackPortIsInput.rawValue : JackPortIsOutput.rawValue), 0)
  }
}
