internal import Engine

/// Objects that the audio thread reads, such as maps: the latest one, and the previous ones until the audio
/// thread has released them.
final class Handover<Object: AnyObject> {
  private let context: Context
  private let path: String
  private var objects: [Object] = []

  /// Creates an empty handover, whose refusals name a path.
  init(_ context: Context, path: String = "") {
    self.context = context
    self.path = path
  }

  /// The number of retained objects.
  var count: Int { objects.count }

  /// Passes an object to the audio thread with a command, followed by other commands.
  ///
  /// Throws if the command queue is full. The previous object stays in use then.
  func send(
    _ object: Object, by action: Command.Action, then others: [PlannedCommand] = []
  ) throws(Refusal) {
    let command = PlannedCommand(
      action: action,
      whenDone: { [weak self] in
        // The audio thread has released all previous objects.
        guard let self, let index = objects.firstIndex(where: { $0 === object }) else { return }
        objects.removeFirst(index)
      })
    objects.append(object)
    do throws(Refusal) {
      try context.submit([command] + others, path: path)
    } catch {
      objects.removeLast()
      throw error
    }
  }
}
