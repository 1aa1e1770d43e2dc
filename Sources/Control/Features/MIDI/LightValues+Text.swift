internal import Engine

extension LightValues {
  /// The values as one word: those that are not as they are at first, each with its name.
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

  /// The values of a word; nil where that is none.
  init?(text: String) {
    self.init()
    for part in text.split(separator: ",") {
      let sides = part.split(separator: ":")
      guard sides.count == 2, let value = UInt8(sides[1]), set(String(sides[0]), to: value) else {
        return nil
      }
    }
  }

  /// Sets the value of a name: on, off, or a state of loops; false where there is none, or the
  /// value is above 127.
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
