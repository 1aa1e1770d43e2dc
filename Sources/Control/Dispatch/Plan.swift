internal import Engine
internal import OSC

/// A command on its way to the audio thread, with what is to be done when it is in effect.
struct PlannedCommand {
  /// The instruction to the audio thread.
  let action: Command.Action
  /// The time of its effect, in microseconds of the host's steady clock; nil for at once.
  var due: Double?
  /// Whether the engine answers it only when nothing sounds any more of what was before.
  var isAnsweredLate = false
  /// Follow-up on the control side when it is on its way, where it has no time to wait for.
  var whenTaken: (() -> Void)?
  /// Follow-up on the control side when it is done.
  var whenDone: (() -> Void)?
  /// Follow-up where the player does not do it.
  var whenRefused: ((EngineRefusal) -> Void)?

  init(
    action: Command.Action, due: Double? = nil, whenDone: (() -> Void)? = nil,
    whenRefused: ((EngineRefusal) -> Void)? = nil
  ) {
    self.action = action
    self.due = due
    self.whenDone = whenDone
    self.whenRefused = whenRefused
  }
}

/// The outcome of one packet's messages before any of it has happened: effects, of which all happen
/// or none, and questions, which are answered in any case.
struct Plan {
  private enum Step {
    case effect(() -> Void)
    case question(() -> Void)
  }

  /// The commands for the audio thread, in order.
  private(set) var commands: [PlannedCommand] = []
  /// The origin of the first command, for the answer where there is no room.
  private(set) var origin: Origin?
  /// The number of addresses that its patterns ask.
  var asked = 0
  private var steps: [Step] = []
  private var undo: [ObjectIdentifier: () -> Void] = [:]

  /// Whether it comes to commands for the audio thread alone.
  var hasOnlyCommands: Bool { steps.isEmpty && undo.isEmpty }

  /// Adds a command, at the time of the request that it comes from.
  mutating func add(_ command: PlannedCommand, for request: Request) {
    var command = command
    command.due = request.due
    add(command, from: request.origin)
  }

  /// Adds a command that has its own time.
  mutating func add(_ command: PlannedCommand, from origin: Origin) {
    if self.origin == nil { self.origin = origin }
    commands.append(command)
  }

  /// Adds commands that have their own times.
  mutating func add(_ commands: [PlannedCommand], from origin: Origin) {
    for command in commands { add(command, from: origin) }
  }

  /// Adds an effect on the control side, which follows when the commands are on their way.
  mutating func afterwards(_ effect: @escaping () -> Void) { steps.append(.effect(effect)) }

  /// Notes that a client has set an address to something: it is told what became of it, unless it
  /// knows.
  mutating func heard(_ values: [Argument], by request: Request) {
    afterwards { request.echo(values) }
  }

  /// Adds a question, which is answered behind the effects that came before it.
  mutating func ask(_ question: @escaping () -> Void) { steps.append(.question(question)) }

  /// Notes how to take back what a feature changes while it plans; of several times, the first
  /// counts: it knows how all was before.
  mutating func takesBack(_ feature: some Feature, _ undo: () -> () -> Void) {
    let id = ObjectIdentifier(feature)
    if self.undo[id] == nil { self.undo[id] = undo() }
  }

  /// Carries out the effects, and answers the questions.
  func carryOut() {
    for step in steps {
      switch step {
      case .effect(let body), .question(let body): body()
      }
    }
  }

  /// Takes back what was changed while it was made.
  func takeBack() { for undo in undo.values { undo() } }

  /// Answers the questions alone.
  func answerQuestions() {
    for case .question(let body) in steps { body() }
  }
}
