internal import OSC
internal import Posix
internal import Screen

/// The keys of `syrinx watch` that control a node's loops, like a pedal.
struct LoopKeys {
  // How long the first of two presses counts, in microseconds.
  private static let patienceMicroseconds = 3e6
  // As of the player's buttons.
  private static let skipSeconds = 10.0

  // Time limit for a node to report the chosen loop, in microseconds.
  private static let answerMicroseconds = 1e6

  // A terminal doesn't report key releases: without a number, a pedal acts at once.
  private static let commands: [Character: String] = [
    " ": "pedal", "r": "record", "o": "overdub", "p": "play", "x": "stop", "u": "undo", "y": "redo",
    "z": "pause", "v": "cancel", "n": "once", "e": "replace", "b": "substitute", "l": "multiply",
    "i": "insert", "w": "save",
  ]

  /// A key that a second one completes.
  private struct First {
    enum Meaning {
      case clear, keep
    }
    let meaning: Meaning
    let number: Int
    let end: Double
  }

  private var first: First?
  // The loop chosen here, until the node reports it.
  private var chosen: (number: Int, end: Double)?

  /// The pending confirmation question; nil if there is none.
  func question(at now: Double) -> String? {
    guard let first, now < first.end else { return nil }
    return switch first.meaning {
    case .clear: "c again clears loop \(first.number)"
    case .keep: "a digit keeps that many bars in loop \(first.number)"
    }
  }

  /// Handles a key, and sends its command.
  ///
  /// Returns false if the key has no such meaning.
  mutating func press(_ key: Key, at now: Double, on node: WatchedNode) -> Bool {
    guard case .letter(let letter) = key, node.picture.loopCount > 0 else { return false }
    // Fast typing refers to the loop just typed.
    if let chosen, now >= chosen.end || node.picture.chosenLoop == chosen.number {
      self.chosen = nil
    }
    let number = chosen?.number ?? node.picture.chosenLoop
    let asked = first.flatMap { $0.number == number && now < $0.end ? $0.meaning : nil }
    let before = first
    first = nil
    switch letter {
    case "0"..."9":
      // The key next to 9 is the tenth.
      let digit = letter == "0" ? 10 : letter.wholeNumberValue ?? 1
      if asked == .keep {
        node.send("/loop/\(number)/keep", .int32(Int32(digit)))
        return true
      }
      guard digit <= node.picture.loopCount else { return true }
      chosen = (digit, now + Self.answerMicroseconds)
      node.send("/loop/select", .int32(Int32(digit)))
    case "m", "M":
      node.send("/loop/\(number)/mute", .int32(node.picture.isLoopMuted(number) ? 0 : 1))
    case "c", "C":
      if asked == .clear {
        node.send("/loop/\(number)/clear")
      } else {
        first = First(meaning: .clear, number: number, end: now + Self.patienceMicroseconds)
      }
    case "k", "K":
      first = First(meaning: .keep, number: number, end: now + Self.patienceMicroseconds)
    case "X": node.send("/loop/*/stop")
    case ",", ".":
      let step = letter == "." ? Self.skipSeconds : -Self.skipSeconds
      guard let target = node.picture.position(ofLoop: number, after: step) else { return true }
      node.send("/loop/\(number)/position", .float(Float(target)))
    default:
      guard let command = Self.commands[Character(letter.lowercased())] else {
        first = before
        return false
      }
      node.send("/loop/\(number)/\(command)")
    }
    return true
  }
}
