internal import OSC
internal import Posix
internal import Screen

/// The keys of `syrinx watch` that control a node's loops, like a pedal.
struct LoopKeys {
  // How long the first of two presses counts, in microseconds.
  private static let patienceMicroseconds = 3e6

  // Time limit for a node to report the chosen loop, in microseconds.
  private static let answerMicroseconds = 1e6

  // A terminal doesn't report key releases: without a number, a pedal acts at once.
  private static let commands: [Character: String] = [
    " ": "pedal", "r": "record", "o": "overdub", "p": "play", "x": "stop", "u": "undo",
  ]

  // The loop that the next press clears, and until when.
  private var clearing: (number: Int, end: Double)?
  // The loop chosen here, until the node reports it.
  private var chosen: (number: Int, end: Double)?

  /// The pending confirmation question; nil if there is none.
  func question(at now: Double) -> String? {
    guard let clearing, now < clearing.end else { return nil }
    return "c again clears loop \(clearing.number)"
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
    let question = clearing
    clearing = nil
    switch letter {
    case "0"..."9":
      // The key next to 9 is the tenth.
      let digit = letter == "0" ? 10 : letter.wholeNumberValue ?? 1
      guard digit <= node.picture.loopCount else { return true }
      chosen = (digit, now + Self.answerMicroseconds)
      node.send("/loop/select", .int32(Int32(digit)))
    case "m", "M":
      node.send("/loop/\(number)/mute", .int32(node.picture.isLoopMuted(number) ? 0 : 1))
    case "c", "C":
      if let question, question.number == number, now < question.end {
        node.send("/loop/\(number)/clear")
      } else {
        clearing = (number, now + Self.patienceMicroseconds)
      }
    default:
      guard let command = Self.commands[Character(letter.lowercased())] else {
        clearing = question
        return false
      }
      node.send("/loop/\(number)/\(command)")
    }
    return true
  }
}
