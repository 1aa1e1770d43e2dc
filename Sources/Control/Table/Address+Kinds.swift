internal import Engine
internal import OSC

extension Address {
  /// The effect of an accepted message.
  enum Effect: Sendable {
    /// Sets the engine parameter of the address.
    case parameter
    /// Adds commands for the audio thread to the packet's plan, at the time of the message.
    ///
    /// Nothing happens if the plan is refused.
    case planned(@Sendable (Features, Request, inout Plan) throws(Refusal) -> Void)
    /// Replies without side effects, whether or not the packet's effects are accepted.
    case asked(@Sendable (Features, Request) throws(Refusal) -> Void)
    /// Runs on the control thread once the packet's commands are queued.
    case done(@Sendable (Features, Request) throws(Refusal) -> Void)
  }

  /// A value that can be queried, and set where it takes arguments.
  package struct Value: Sendable {
    /// The source of the current value.
    enum Source: Sendable {
      case parameter(Parameter)
      case feature(@Sendable (Features) -> [Argument])
    }

    /// The arguments that set it; empty if it is read-only.
    package let forms: [Form]
    let source: Source
    var setting: Effect?
    /// The type tags of a read-only value.
    var replyTypes = ""
    /// Whether changes are sent to subscribers.
    var isAnnounced = true
    /// Whether the value is a process, started and stopped by its own address only.
    package private(set) var isProcess = false
    /// Whether the value is a playhead: it moves on its own, and setting it jumps.
    ///
    /// Writing back the last value would be a jump.
    package private(set) var isPlayhead = false
    /// The address of the message that reports completion, for values that take time to set.
    package private(set) var end: String?

    /// Whether the value changes without notification, so that it is polled for subscribers.
    var isPolled: Bool { setting == nil && isAnnounced }
  }

  /// A command.
  package struct Act: Sendable {
    /// The arguments that it takes.
    package let forms: [Form]
    /// Whether the command is a button: it accepts any number, and ignores 0.
    package private(set) var isButton = false
    /// The address of the message that reports completion, unless the command fails with /error; nil if it
    /// is immediate.
    package private(set) var end: String?
    let effect: Effect

    /// Whether the handler adds commands for the audio thread.
    package var isPlanned: Bool { if case .planned = effect { true } else { false } }
  }
}
