internal import DSP

/// The values that presses set: one rule for the audio thread and for the control side.
package enum PressValue {
  /// Returns the second of two values for the first, otherwise the first.
  @_noLocks
  package static func toggled(
    _ present: Float, between first: Float, and second: Float
  ) -> Float {
    present >= first && present <= first ? second : first
  }

  /// Returns the index some steps from another one, wrapping around.
  ///
  /// Without an index, the first step selects the first value, or the last one.
  @_noLocks
  package static func stepped(from place: Int?, by step: Int, of count: Int) -> Int {
    let place = place ?? (step > 0 ? -1 : 0)
    return (place &+ step &+ count) % count
  }
}

/// An action that a press performs on its own frame.
package struct BoundAction: BitwiseCopyable, Sendable {
  /// The effect of a press.
  package enum Deed: BitwiseCopyable, Sendable {
    case command(Command.Action)
    /// Sets a parameter to the second value if it has the first, else to the first.
    case toggle(Parameter, Float, Float)
    /// Steps through the words of a parameter, and wraps around.
    case step(Parameter, by: Int, of: Int)

    /// Returns the command that a press performs, for the present values of all parameters.
    @_noLocks
    func command(at values: borrowing ParameterValues) -> Command.Action {
      switch self {
      case .command(let command): command
      case .toggle(let parameter, let first, let second):
        .set(
          parameter, PressValue.toggled(values[parameter], between: first, and: second))
      case .step(let parameter, let step, let count):
        .set(
          parameter,
          Float(PressValue.stepped(from: Int(values[parameter]), by: step, of: count)))
      }
    }
  }

  /// The number of its binding on the control side.
  package let binding: UInt16
  /// The effect.
  package let deed: Deed

  /// Creates an action of a binding.
  package init(binding: UInt16, _ deed: Deed) {
    self.binding = binding
    self.deed = deed
  }
}

/// The mapped presses.
///
/// The control side creates the map, and keeps it alive until the audio thread has released it.
package final class PressMap: @unchecked Sendable {
  /// The actions of the presses of one trigger.
  package struct Entry: Sendable {
    /// The trigger.
    package var trigger: Trigger
    /// The presses that are bound, as bits of `PressBits`.
    package var presses: UInt8 = 0
    /// The presses that are reported to the control side.
    package var told: UInt8 = 0
    /// The actions of a press and of a release.
    package var down: [BoundAction] = [], up: [BoundAction] = []
    /// The actions of a short press, of a long one, and of a double one.
    package var short: [BoundAction] = [], long: [BoundAction] = [], double: [BoundAction] = []

    fileprivate var all: [[BoundAction]] { [down, up, short, long, double] }

    /// Creates an entry without actions.
    package init(_ trigger: Trigger) { self.trigger = trigger }
  }

  /// The pointer for the audio thread.
  package let pointer: PressMapPointer
  private let buffers = Buffers()

  /// Creates a map of the triggers that are bound.
  package init(_ entries: [Entry]) {
    var rows = [PressMapPointer.Row](repeating: .init(), count: Trigger.count)
    var lists = [[BoundAction]](
      repeating: [], count: Trigger.count * PressMapPointer.presses)
    for entry in entries {
      let place = Int(entry.trigger.place)
      rows[place] = .init(presses: entry.presses, told: entry.told)
      let first = place * PressMapPointer.presses
      lists.replaceSubrange(first..<first + PressMapPointer.presses, with: entry.all)
    }
    var starts: [UInt32] = [0]
    for list in lists { starts.append(starts.last! + UInt32(list.count)) }
    pointer = PressMapPointer(
      rows: UnsafePointer(buffers.copied(rows)), starts: UnsafePointer(buffers.copied(starts)),
      actions: UnsafePointer(buffers.copied(lists.flatMap(\.self))))
  }
}

/// A pointer to the presses that are bound, for the audio thread.
package struct PressMapPointer: BitwiseCopyable, @unchecked Sendable {
  /// The number of presses of each trigger, one for each bit of `PressBits`.
  static var presses: Int { @_noLocks get { 5 } }

  /// The presses of a trigger that are bound, and those that are reported.
  struct Row: BitwiseCopyable {
    var presses: UInt8 = 0
    var told: UInt8 = 0
  }

  let rows: UnsafePointer<Row>
  // The index of the first action of each press, in order of presses, and the end index.
  let starts: UnsafePointer<UInt32>
  let actions: UnsafePointer<BoundAction>

  /// Returns the presses of a trigger that are bound.
  @_noLocks
  func presses(_ trigger: Trigger) -> UInt8 { rows[Int(trigger.place)].presses }

  /// Returns the presses that are reported to the control side.
  @_noLocks
  func told(_ trigger: Trigger) -> UInt8 { rows[Int(trigger.place)].told }

  /// Returns the index range of the actions of one press, a bit of `PressBits`.
  @_noLocks
  func actions(_ trigger: Trigger, _ press: UInt8) -> (first: Int, end: Int) {
    let index = Int(trigger.place) &* Self.presses &+ press.trailingZeroBitCount
    return (Int(starts[index]), Int(starts[index &+ 1]))
  }

  /// The action at an index.
  subscript(_ place: Int) -> BoundAction { @_noLocks get { actions[place] } }
}
