internal import Engine

/// The state changes of loops, as phrases to speak.
struct SpokenLoops {
  private var last: [PublishedLoop.Reading]
  private var selected: Int

  /// Starts from the current states, which are not announced.
  init(_ readings: [PublishedLoop.Reading], selected: Int) {
    (last, self.selected) = (readings, selected)
  }

  /// Returns phrases for the changes since the last call.
  mutating func changes(
    _ readings: [PublishedLoop.Reading], selected: Int, rate: Int
  ) -> [String] {
    defer { (last, self.selected) = (readings, selected) }
    var phrases: [String] = []
    for (index, (reading, former)) in zip(readings, last).enumerated() {
      if let words = Self.change(from: former, to: reading, rate: rate) {
        phrases.append("loop \(index + 1) \(words)")
      }
    }
    if selected != self.selected, readings.indices.contains(selected) {
      phrases.append(Self.description(of: selected, readings[selected], rate: rate))
    }
    return phrases
  }

  private static func change(
    from former: PublishedLoop.Reading, to reading: PublishedLoop.Reading, rate: Int
  ) -> String? {
    if reading.activity != former.activity {
      let words = "\(reading.activity)"
      switch former.activity {
      case .recording where reading.length > 0, .multiplying, .inserting:
        return "\(words), \(seconds(reading.length, rate))"
      case .overdubbing, .replacing, .substituting:
        return reading.isOverdubbing || reading.length == 0
          ? words : "\(words), \(overdubs(reading.overdubs))"
      default: return words
      }
    }
    guard !reading.state.isRecording else { return nil }
    if reading.stepsForth > former.stepsForth, reading.stepsBack < former.stepsBack {
      return "undo, \(overdubs(reading.overdubs))"
    }
    if reading.stepsForth < former.stepsForth, reading.stepsBack > former.stepsBack {
      return "redo, \(overdubs(reading.overdubs))"
    }
    return nil
  }

  /// Describes the loop at an index, from 0: its state, length, overdubs and pending state.
  static func description(
    of index: Int, _ reading: PublishedLoop.Reading, rate: Int
  ) -> String {
    var parts = ["loop \(index + 1)", "\(reading.activity)"]
    if reading.length > 0 { parts.append(seconds(reading.length, rate)) }
    if reading.overdubs > 0 { parts.append(overdubs(reading.overdubs)) }
    if let next = reading.activityToCome, next != reading.activity {
      parts.append("\(next) next")
    }
    return parts.joined(separator: ", ")
  }

  /// A length in words, with one decimal below ten seconds.
  static func seconds(_ frames: Int, _ rate: Int) -> String {
    let tenths = (Double(frames) / Double(max(1, rate)) * 10).rounded()
    let isFine = tenths < 100 && tenths.truncatingRemainder(dividingBy: 10) != 0
    let text = isFine ? "\(tenths / 10)" : "\(Int((tenths / 10).rounded()))"
    return text == "1" ? "1 second" : "\(text) seconds"
  }

  private static func overdubs(_ count: Int) -> String {
    switch count {
    case 0: "no overdubs"
    case 1: "1 overdub"
    default: "\(count) overdubs"
    }
  }
}
