internal import Engine
internal import Music

/// A short, soft sound that tells that the node can be played: the triad of the root, one note after
/// the other.
struct Greeting {
  // In seconds: all is over within six tenths.
  private static let between = 0.1
  private static let lasts = 0.25
  // So that its first note, too, is on its frame.
  private static let ahead = 0.05
  private static let velocity: Float = 0.25

  /// What is played, from a time in microseconds of the host's steady clock on.
  ///
  /// By fingers of their own, which no phrase writes down and nobody's hand has.
  static func commands(on keyboard: Keyboard, at start: Double) -> [PlannedCommand] {
    let root = keyboard.grid.lowestNote + 12
    let steps = keyboard.grid.scale.steps
    let isOfTwelve = keyboard.grid.tuning.count == 12
    let third = isOfTwelve && steps.contains(3) && !steps.contains(4) ? 3 : 4
    return [0, third, 7].enumerated().flatMap { index, step in
      let key = min(root + step, 127)
      let finger = Finger.key(UInt8(key)).repeated()
      let begin = start + (ahead + Double(index) * between) * 1e6
      return [
        PlannedCommand(
          action: .note(.on(keyboard.start(finger, key: key, velocity: velocity))), due: begin),
        PlannedCommand(action: .note(.off(finger)), due: begin + lasts * 1e6),
      ]
    }
  }
}

extension Node {
  /// Plays the greeting, where somebody hears it and it is not switched off.
  package func greet(isHeard: Bool) {
    let present = engine.shared.clockReading.microseconds
    guard isHeard, greetsAtStart, present > 0 else { return }
    // A node that has too much to do does without.
    try? submit(Greeting.commands(on: keyboard, at: present), path: "", client: nil)
  }
}
