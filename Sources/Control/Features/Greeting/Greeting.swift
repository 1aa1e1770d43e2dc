internal import Engine
internal import Music
internal import OSC

/// A short, soft arpeggio of the root triad that signals that the node is ready.
package final class Greeting: Feature {
  // In seconds. The sound lasts six tenths of a second.
  private static let between = 0.1
  private static let lasts = 0.25
  // Ahead of time, so that the first note is on its frame.
  private static let ahead = 0.05
  private static let velocity: Float = 0.25

  private let context: Context
  private var isOn = true

  init(_ context: Context) { self.context = context }

  /// Plays the greeting, unless it is disabled.
  package func play() {
    let present = context.clock.microseconds
    guard isOn, present > 0 else { return }
    // If the command queue is full, it is skipped.
    try? context.submit(Self.commands(on: context[Fingerboard.self].gridState, at: present))
  }

  /// The notes, from a time in microseconds of the host's steady clock.
  ///
  /// They use reserved fingers, which clients can't hold and phrases don't record.
  private static func commands(on gridState: GridState, at start: Double) -> [PlannedCommand] {
    let root = gridState.grid.lowestNote + 12
    let steps = gridState.grid.scale.steps
    let isOfTwelve = gridState.grid.tuning.count == 12
    let third = isOfTwelve && steps.contains(3) && !steps.contains(4) ? 3 : 4
    return [0, third, 7].enumerated().flatMap { index, step in
      let key = min(root + step, 127)
      let finger = Finger.key(UInt8(key)).repeated()
      let begin = start + (ahead + Double(index) * between) * 1e6
      return [
        PlannedCommand(
          action: .note(.on(gridState.start(finger, key: key, velocity: velocity))), due: begin),
        PlannedCommand(action: .note(.off(finger)), due: begin + lasts * 1e6),
      ]
    }
  }
}

extension Greeting {
  static let addresses = [
    Address(
      "/settings/startup", Declaring<Greeting>.flag(\.isOn, named: "on"), kept: .home,
      "Startup sound: 1 plays three soft notes when the node is ready and its output is connected")
  ]
}
