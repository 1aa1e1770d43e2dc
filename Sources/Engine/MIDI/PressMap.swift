/// The values that presses go to: one rule for those that the audio thread sets, and for all others.
package enum PressValue {
  /// Returns the second of two values at the first, and else the first.
  @_noLocks
  package static func toggled(
    _ present: Float, between first: Float, and second: Float
  ) -> Float {
    present >= first && present <= first ? second : first
  }

  /// Returns the place some steps from another one, past either end and round.
  ///
  /// Without a place, the first step goes to the first of them, or to the last.
  @_noLocks
  package static func stepped(from place: Int?, by step: Int, of count: Int) -> Int {
    let place = place ?? (step > 0 ? -1 : 0)
    return (place &+ step &+ count) % count
  }
}

/// An action that a press does on its own frame.
package struct BoundAction: BitwiseCopyable, Sendable {
  /// The deed of a press.
  package enum Deed: BitwiseCopyable, Sendable {
    case command(Command.Action)
    /// Sets a parameter to the second value where it is at the first, and else to the first.
    case toggle(Parameter, Float, Float)
    /// Goes so many steps through the words of a parameter, of which there are so many, and round.
    case step(Parameter, by: Int, of: Int)

    /// Returns the command that a press performs, for the present values of all parameters.
    @_noLocks
    func command(at values: UnsafeMutablePointer<Float>) -> Command.Action {
      switch self {
      case .command(let command): command
      case .toggle(let parameter, let first, let second):
        .set(
          parameter, PressValue.toggled(values[parameter.number], between: first, and: second))
      case .step(let parameter, let step, let count):
        .set(
          parameter,
          Float(PressValue.stepped(from: Int(values[parameter.number]), by: step, of: count)))
      }
    }
  }

  /// The number by which the control side knows its binding.
  package let binding: UInt16
  /// The deed.
  package let deed: Deed

  /// An action of a binding.
  package init(binding: UInt16, _ deed: Deed) {
    self.binding = binding
    self.deed = deed
  }
}

/// The presses that mean something, in memory of their own.
///
/// The control side makes it and keeps it alive until the audio thread has let it go.
package final class PressMap: @unchecked Sendable {
  /// What the presses of one trigger mean.
  package struct Entry: Sendable {
    /// The trigger.
    package var trigger: Trigger
    /// The presses that mean anything, as bits of `PressBits`.
    package var presses: UInt8 = 0
    /// Those of them that the control side is told of.
    package var told: UInt8 = 0
    /// The actions of a trigger that is pressed, and let go.
    package var down: [BoundAction] = [], up: [BoundAction] = []
    /// The actions of a short press, of a long one, and of a double one.
    package var short: [BoundAction] = [], long: [BoundAction] = [], double: [BoundAction] = []

    fileprivate var all: [[BoundAction]] { [down, up, short, long, double] }

    /// A trigger that means nothing yet.
    package init(_ trigger: Trigger) { self.trigger = trigger }
  }

  /// The pointer that the audio thread is given.
  package let pointer: PressMapPointer
  private let table: UnsafeMutablePointer<PressMapPointer.Row>
  private let actions: UnsafeMutablePointer<BoundAction>

  /// The meaning of each trigger that has one.
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

/// A pointer to the presses that mean something, as the audio thread is given it.
package struct PressMapPointer: BitwiseCopyable, @unchecked Sendable {
  /// A trigger's presses, and where their actions are, one behind the other.
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

  /// The presses of a trigger that mean anything.
  @_noLocks
  func presses(_ trigger: Trigger) -> UInt8 { table[Int(trigger.place)].presses }

  /// Those of them that the control side is told of.
  @_noLocks
  func told(_ trigger: Trigger) -> UInt8 { table[Int(trigger.place)].told }

  /// The places of the actions of one press of a trigger, a bit of `PressBits`.
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

  /// An action, by its place.
  subscript(_ place: Int) -> BoundAction { @_noLocks get { actions[place] } }
}
