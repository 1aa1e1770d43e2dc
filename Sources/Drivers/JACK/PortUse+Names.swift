internal import Engine

/// The use of ports by their names in the graph.
extension PortUse {
  private static let groups: [String: PortUse] = [
    "in_1": .input, "in_2": .input, "out_1": .output, "out_2": .output, "live_1": .live,
    "live_2": .live, "grid_1": .grid, "grid_2": .grid, "click": .click, "midi_in": .midiIn,
    "midi_out": .midiOut,
  ]

  /// The ports of these names, each with those of its group.
  init(names: [String]) {
    self = names.reduce(.none) { use, name in
      use.union(Self.groups[name] ?? Self.loop(name).map { .stem(ofLoop: $0) } ?? .none)
    }
  }

  /// The loop, counted from 0, whose stem has a name: `loop_1` is the first one's, `loop2_1` the second's.
  private static func loop(_ name: String) -> Int? {
    guard name.hasPrefix("loop") else { return nil }
    let number = name.dropFirst(4).prefix { $0 != "_" }
    if number.isEmpty { return 0 }
    guard let count = Int(number), (2...16).contains(count) else { return nil }
    return count - 1
  }
}
