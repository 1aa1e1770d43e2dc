internal import Engine

extension LightValues {
  /// The values as one word: those that differ from the default, each with its name.
  var text: String {
    var parts: [String] = []
    let usual = LightValues()
    if on != usual.on { parts.append("on:\(on)") }
    if off != usual.off { parts.append("off:\(off)") }
    for activity in LoopActivity.allCases where colors[Int(activity.rawValue)] != 0 {
      parts.append("\(activity):\(colors[Int(activity.rawValue)])")
    }
    return parts.joined(separator: ",")
  }

  /// Creates the values of a word, or nil if it is invalid.
  init?(text: String) {
    self.init()
    for part in text.split(separator: ",") {
      let sides = part.split(separator: ":")
      guard sides.count == 2, let value = UInt8(sides[1]), set(String(sides[0]), to: value) else {
        return nil
      }
    }
  }

  /// Sets the value for on, off, or an activity of loops.
  ///
  /// Returns false if the name or the value is invalid.
  mutating func set(_ name: String, to value: UInt8) -> Bool {
    guard value < 128 else { return false }
    switch name {
    case "on": on = value
    case "off": off = value
    default:
      guard let activity = LoopActivity.allCases.first(where: { "\($0)" == name }) else {
        return false
      }
      colors[Int(activity.rawValue)] = value
    }
    return true
  }
}
