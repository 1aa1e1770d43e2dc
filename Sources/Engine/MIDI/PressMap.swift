/// The values that presses go to: one rule for those that the audio thread sets, and for all others.
package enum PressValue {
  /// Returns the second of two values at the first, and else the first.
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
  private let table: UnsafeMutablePointer<PressMapPointer.Row>
  private let actions: UnsafeMutablePointer<BoundAction>

  /// Creates a map of the triggers that are bound.
  package init(_ entries: [Entry]) {
    table = .allocate(capacity: Trigger.count)
    table.initialize(repeating: PressMapPointer.Row(), count: Trigger.count)
    let all = entries.flatMap { $0.all.flatMap(\.self) }
    actions = .allocate(capacity: max(1, all.count))
    for (index, action) in all.enumerated() { (actions + index).initialize(to: action) }
    var first = 0
    for entry in entries {
      var row = PressMapPointer.Row()
      row.presses = entry.presses
      row.told = entry.told
      row.first = UInt32(first)
      row.down = UInt16(entry.down.count)
      row.up = UInt16(entry.up.count)
      row.short = UInt16(entry.short.count)
      row.long = UInt16(entry.long.count)
      row.double = UInt16(entry.double.count)
      table[Int(entry.trigger.place)] = row
      first += entry.all.reduce(0) { $0 + $1.count }
    }
    pointer = PressMapPointer(table: UnsafePointer(table), actions: UnsafePointer(actions))
  }

  deinit {
    table.deallocate()
    actions.deallocate()
  }
}

/// A pointer to the presses that are bound, for the audio thread.
package struct PressMapPointer: BitwiseCopyable, @unchecked Sendable {
  /// The presses of a trigger, and the places of their actions, one behind the other.
  struct Row: BitwiseCopyable {
    var presses: UInt8 = 0
    var told: UInt8 = 0
    var first: UInt32 = 0
    var down: UInt16 = 0, up: UInt16 = 0, short: UInt16 = 0, long: UInt16 = 0, double: UInt16 = 0
  }

  private let table: UnsafePointer<Row>
  private let actions: UnsafePointer<BoundAction>

  init(table: UnsafePointer<Row>, actions: UnsafePointer<BoundAction>) {
    self.table = table
    self.actions = actions
  }

  /// Returns the presses of a trigger that are bound.
  @_noLocks
  func presses(_ trigger: Trigger) -> UInt8 { table[Int(trigger.place)].presses }

  /// Returns the presses that are reported to the control side.
  @_noLocks
  func told(_ trigger: Trigger) -> UInt8 { table[Int(trigger.place)].told }

  /// Returns the places of the actions of one press, a bit of `PressBits`.
  @_noLocks
  func actions(_ trigger: Trigger, _ press: UInt8) -> (first: Int, end: Int) {
    let row = table[Int(trigger.place)]
    var first = Int(row.first)
    if press == PressBits.down { return (first, first &+ Int(row.down)) }
    first &+= Int(row.down)
    if press == PressBits.up { return (first, first &+ Int(row.up)) }
    first &+= Int(row.up)
    if press == PressBits.short { return (first, first &+ Int(row.short)) }
    first &+= Int(row.short)
    if press == PressBits.long { return (first, first &+ Int(row.long)) }
    first &+= Int(row.long)
    return (first, first &+ Int(row.double))
  }

  /// The action at an index.
  subscript(_ place: Int) -> BoundAction { @_noLocks get { actions[place] } }
}
