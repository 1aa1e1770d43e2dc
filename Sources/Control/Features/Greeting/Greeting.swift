internal import Engine
internal import Music
internal import OSC

/// A short, soft sound that tells that the node can be played: the triad of the root, one note after
/// the other.
final class Greeting: Feature {
  // In seconds: all is over within six tenths.
  private static let between = 0.1
  private static let lasts = 0.25
  // So that its first note, too, is on its frame.
  private static let ahead = 0.05
  private static let velocity: Float = 0.25

  private let context: Context
  private var isOn = true

  init(_ context: Context) { self.context = context }

  /// Plays it, unless it is switched off.
  func play() {
    let present = context.engine.shared.clockReading.microseconds
    guard isOn, present > 0 else { return }
    // A node that has too much to do does without.
    try? context.submit(Self.commands(on: context[Fingerboard.self].keyboard, at: present))
  }

  /// The notes, from a time in microseconds of the host's steady clock on.
  ///
  /// By fingers of their own, which no phrase writes down and nobody's hand has.
  private static func commands(on keyboard: Keyboard, at start: Double) -> [PlannedCommand] {
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

extension Greeting {
  static let addresses = [
    Address(
      "/settings/startup",
      Of<Greeting>.setting([.needed("on", .whole, in: 0...1)]) { greeting in
        [.int32(greeting.isOn ? 1 : 0)]
      } write: { greeting, request in
        greeting.isOn = request.whole(0) == 1
      }, kept: .home,
      "0 turns off the three soft notes at the start, when the node is ready and its output is "
        + "connected")
  ]
}

extension Node {
  /// Plays the greeting, where somebody hears it and it is not switched off.
  package func greet(isHeard: Bool) { if isHeard { context[Greeting.self].play() } }
}
