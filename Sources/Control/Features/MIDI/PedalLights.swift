internal import Engine
internal import OSC

/// The LEDs of pedals: the state that each binding shows.
struct PedalLightTable {
  // The tolerance of the tuner, in cents.
  private static let inTune = 5.0

  private let context: Context
  /// The selected loop, from 1; nil if nothing depends on it.
  let selected: Int?

  /// The current table.
  init(_ context: Context) {
    self.context = context
    selected = Self.number(at: "/loop/select", context)
  }

  private static func number(at path: String, _ context: Context) -> Int? {
    guard let address = context.table[path] else { return nil }
    return context.values(of: address)?.first?.number.map { Int($0) }
  }

  /// The LEDs of bindings.
  ///
  /// For each trigger, bindings for LEDs take precedence, then those of short, long and double presses.
  func lights(of bindings: [Binding]) -> [PedalLight] {
    var best: [Trigger: (rank: Int, lights: [PedalLight])] = [:]
    for binding in bindings where binding.trigger.hasLight {
      guard let meaning = meaning(of: binding) else { continue }
      let rank = Self.rank(binding.press)
      let light = PedalLight(binding.trigger, channel: binding.channel ?? UInt8.max, meaning)
      if let known = best[binding.trigger], known.rank < rank { continue }
      if best[binding.trigger]?.rank == rank {
        best[binding.trigger]?.lights.append(light)
      } else {
        best[binding.trigger] = (rank, [light])
      }
    }
    return best.sorted { $0.key.place < $1.key.place }.flatMap(\.value.lights)
  }

  /// Whether the control side must determine the state of a binding's LED.
  func mustLook(at binding: Binding) -> Bool {
    guard binding.trigger.hasLight else { return false }
    if binding.path.hasPrefix("/loop/selected/") { return true }
    if case .fixed = meaning(of: binding) { return true }
    return false
  }

  private static func rank(_ press: Binding.Press) -> Int {
    switch press {
    case .light: 0
    case .short, .turn, .hold: 1
    case .long: 2
    case .double: 3
    }
  }

  /// The state that the LED of a binding shows; nil if it has none.
  func meaning(of binding: Binding) -> PedalLight.Meaning? {
    guard let address = context.table.resolve(binding.path)?.address else { return nil }
    if address.act != nil, let (slot, light) = loop(binding.path) {
      return .loop(slot: UInt8(slot - 1), light)
    }
    switch binding.path {
    case "/metronome/beat": return .beat
    case Tuner.path: return .fixed(isTunerLit(binding.sending.text))
    default: break
    }
    guard address.value != nil else { return nil }
    let wanted: Argument
    switch binding.sending {
    case .arguments(let arguments):
      guard arguments.count == 1 else { return nil }
      wanted = arguments[0]
    case .nothing, .toggle:
      guard let ends = address.ends else { return nil }
      wanted = ends.high
    case .next, .previous: return nil
    }
    if let parameter = address.parameter, let value = try? address.value(from: wanted) {
      return .parameter(parameter, value)
    }
    let present = context.values(of: address)?.first
    if let text = wanted.text { return .fixed(present?.text == text) }
    return .fixed(present?.number != nil && present?.number == wanted.number)
  }

  /// The loop number and the command of a path.
  private func loop(_ path: String) -> (slot: Int, light: LoopLight)? {
    let parts = path.split(separator: "/").map(String.init)
    guard parts.count >= 2, ["loop", "player"].contains(parts[0]),
      let light = Self.light(of: parts[parts.count - 1])
    else { return nil }
    if parts.count == 2 { return (1, light) }
    guard parts.count == 3, parts[0] == "loop" else { return nil }
    let number = parts[1] == "selected" ? selected : Int(parts[1])
    guard let number, 1...16 ~= number else { return nil }
    return (number, light)
  }

  private static func light(of button: String) -> LoopLight? {
    button == "once" ? .play : LoopLight.allCases.first { "\($0)" == button }
  }

  // MARK: - Tuner

  /// The names of the tuner's LEDs.
  static let tunerWords = ["flat", "tune", "sharp"]

  private func isTunerLit(_ word: String) -> Bool {
    guard let cents = context[Tuner.self].cents else { return false }
    switch word {
    case "flat": return cents < -Self.inTune
    case "sharp": return cents > Self.inTune
    default: return abs(cents) <= Self.inTune
    }
  }
}
