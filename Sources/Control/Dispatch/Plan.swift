internal import Engine
internal import OSC

/// A command for the audio thread with its callbacks.
struct PlannedCommand {
  /// The command.
  let action: Command.Action
  /// The time of its effect, in microseconds of the host's steady clock; nil for immediately.
  var due: Double?
  /// The exact frame of the engine's time that `due` stands for, if the sender knows it.
  var frame: Int64?
  /// Whether `frame` is relative to a beat or loop cycle, and shifts with it after an xrun.
  var isOnBeat = false
  /// Called on the control thread when it is done.
  var whenDone: (() -> Void)?
  /// Called on the control thread when the engine refuses it.
  var whenRefused: ((EngineRefusal) -> Void)?
  /// Called on the control thread when an immediate command is queued.
  var whenTaken: (() -> Void)?
  /// Whether the engine reports it done only after the previous sound has ended.
  var isAnsweredLate = false
}

/// The result of planning one packet before anything is applied: effects, all or none of which are applied,
/// and queries, which are always replied to.
struct Plan {
  private enum Step {
    case effect(() -> Void)
    case question(() -> Void)
  }

  /// The commands for the audio thread, in order.
  private(set) var commands: [PlannedCommand] = []
  /// The origin of the first command, for error replies.
  private(set) var origin: Origin?
  /// The number of addresses queried by patterns.
  var asked = 0
  private var steps: [Step] = []
  private var undo: [ObjectIdentifier: () -> Void] = [:]

  /// Whether the plan consists of commands for the audio thread only.
  var hasOnlyCommands: Bool { steps.isEmpty && undo.isEmpty }

  /// Adds a command at the time of its request.
  mutating func add(_ command: PlannedCommand, for request: Request) {
    var command = command
    command.due = request.due
    add(command, from: request.origin)
  }

  /// Adds a command with its own time.
  mutating func add(_ command: PlannedCommand, from origin: Origin) {
    if self.origin == nil { self.origin = origin }
    commands.append(command)
  }

  /// Adds commands with their own times.
  mutating func add(_ commands: [PlannedCommand], from origin: Origin) {
    for command in commands { add(command, from: origin) }
  }

  /// Adds an effect on the control thread, applied once the commands are queued.
  mutating func afterwards(_ effect: @escaping () -> Void) { steps.append(.effect(effect)) }

  /// Echoes a value set by a client, unless the client was sent the same value last.
  mutating func echo(_ values: [Argument], by request: Request) {
    afterwards { request.echo(values) }
  }

  /// Adds a query, replied to after the effects before it.
  mutating func ask(_ question: @escaping () -> Void) { steps.append(.question(question)) }

  /// Registers the undo of a feature's change during planning.
  ///
  /// Only the first one of a feature counts, since it restores the original state.
  mutating func takesBack(_ feature: some Feature, _ undo: () -> () -> Void) {
    let id = ObjectIdentifier(feature)
    if self.undo[id] == nil { self.undo[id] = undo() }
  }

  /// Applies the effects and replies to the queries.
  func carryOut() {
    for step in steps {
      switch step {
      case .effect(let body), .question(let body): body()
      }
    }
  }

  /// Undoes the changes made during planning.
  func takeBack() { for undo in undo.values { undo() } }

  /// Replies to the queries only.
  func answerQuestions() {
    for case .question(let body) in steps { body() }
  }
}
