internal import CJack
internal import Engine

/// A port of the node in the JACK graph.
struct PortPlan {
  /// The name that connections are stored by; never changes.
  let name: String
  /// The pretty name.
  let prettyName: String
  /// The port group.
  let group: String
  /// The engine ports that it belongs to.
  let use: PortUse
  var isInput = false
  var isMIDI = false

  /// All ports of a node with this many loops, in order.
  static func all(loops: Int) -> [PortPlan] {
    let first: [[PortPlan]] = [
      stereo("in", "Input", .input, isInput: true), stereo("out", "Output", .output),
      stereo("live", "Live stem", .live), loop(0), stereo("grid", "Grid stem", .grid),
      stereo("harmony", "Harmony stem", .harmony),
      [PortPlan(name: "click", prettyName: "Metronome", group: "Metronome", use: .click)],
    ]
    let last = [
      PortPlan(
        name: "midi_in", prettyName: "MIDI in", group: "MIDI", use: .midiIn, isInput: true,
        isMIDI: true),
      PortPlan(
        name: "midi_out", prettyName: "MIDI out", group: "MIDI", use: .midiOut, isMIDI: true),
      PortPlan(name: "speech_1", prettyName: "Speech", group: "Speech", use: .speech),
    ]
    return (first + (1..<max(1, loops)).map(loop)).flatMap(\.self) + last
  }

  /// The names of the input ports, which the microphone is connected to, and of the mix ports.
  static let inputs = stereo("in", "Input", .input).map(\.name)
  static let outputs = stereo("out", "Output", .output).map(\.name)

  /// The names of all input ports.
  static let inputNames = Set(all(loops: 1).filter(\.isInput).map(\.name))

  private static func loop(_ index: Int) -> [PortPlan] {
    let number = index == 0 ? "" : "\(index + 1)"
    return stereo(
      "loop\(number)", index == 0 ? "Loop stem" : "Loop \(number) stem", .stem(ofLoop: index))
  }

  private static func stereo(
    _ name: String, _ group: String, _ use: PortUse, isInput: Bool = false
  ) -> [PortPlan] {
    [("1", "left"), ("2", "right")].map { number, side in
      PortPlan(
        name: "\(name)_\(number)", prettyName: "\(group) \(side)", group: group, use: use,
        isInput: isInput)
    }
  }

  /// Registers the port; nil if the server refuses.
  func register(with client: OpaquePointer) -> OpaquePointer? {
    jack_port_register(
      client, name, isMIDI ? JACK_DEFAULT_MIDI_TYPE : JACK_DEFAULT_AUDIO_TYPE,
      UInt(isInput ? JackPortIsInput.rawValue : JackPortIsOutput.rawValue), 0)
  }
}

extension SoundPort {
  /// All ports of a node with their connections, in order.
  static func all(_ links: Set<SoundConnection>, loops: Int) -> [SoundPort] {
    PortPlan.all(loops: loops).map { plan in
      SoundPort(
        name: plan.name, isMIDI: plan.isMIDI, isInput: plan.isInput,
        connections: links.filter { $0.own == plan.name }.map(\.other).sorted())
    }
  }
}

extension PortUse {
  private static let byName = Dictionary(
    uniqueKeysWithValues: PortPlan.all(loops: Parameter.mostLoops).map { ($0.name, $0.use) })

  /// The ports of these names, each with its group.
  init(names: [String]) {
    self = names.reduce(.none) { $0.union(Self.byName[$1] ?? .none) }
  }
}
