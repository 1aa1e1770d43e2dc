internal import Engine

/// Objects that the audio thread reads, such as maps: the one in use, and those on their way.
///
/// A command retains its object until it takes effect; one that was sent later can take effect first.
final class Handover<Object: AnyObject> {
  private let context: Context
  private let path: String
  private var present: Object?
  private var coming = 0

  /// Creates an empty handover, whose refusals name a path.
  init(_ context: Context, path: String = "") {
    self.context = context
    self.path = path
  }

  /// The number of retained objects.
  var count: Int { coming + (present == nil ? 0 : 1) }

  /// Passes an object to the audio thread with a command, followed by other commands.
  ///
  /// Throws if the command queue is full. The previous object stays in use then.
  func send(
    _ object: Object, by action: Command.Action, then others: [PlannedCommand] = []
  ) throws(Refusal) {
    let change = change(to: object, by: action)
    try context.submit(change.commands + others, path: path)
    change.whenQueued()
  }

  /// A change to an object, to be queued with other commands.
  func change(to object: Object, by action: Command.Action) -> SwitchPart {
    let command = PlannedCommand(
      action: action,
      whenDone: { [weak self] in
        guard let self else { return }
        present = object
        coming -= 1
      })
    return SwitchPart(commands: [command]) { [self] in coming += 1 }
  }
}
