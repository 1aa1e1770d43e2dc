internal import Engine
internal import OSC

extension Address {
  /// The effect of a message that an address has taken.
  enum Deed: Sendable {
    /// Sets the address's parameter in the audio.
    case parameter
    /// Comes to commands for the audio at the message's own time, and settles on arrival what is
    /// meant: it goes into the packet's plan, and comes to nothing where that is refused.
    case planned(@Sendable (Features, Request, inout Plan) throws(Refusal) -> Void)
    /// Answers, and changes nothing: whatever becomes of the packet's effects.
    case asked(@Sendable (Features, Request) throws(Refusal) -> Void)
    /// Acts on the control side when the packet's commands are on their way.
    case done(@Sendable (Features, Request) throws(Refusal) -> Void)
  }

  /// A value that can be asked for, and be set where it takes arguments.
  package final class Value: Sendable {
    /// The source of the present value.
    enum Source: Sendable {
      case parameter(Parameter)
      case feature(@Sendable (Features) -> [Argument])
    }

    /// Arguments that set it; none where it only tells.
    package let forms: [Form]
    let source: Source
    let setting: Deed?
    /// The type tags of what it tells, where it can't be set.
    let told: String
    /// Whether subscribers are told it as it changes.
    let isAnnounced: Bool
    /// Whether it is something that goes on, which is begun and ended by its own address alone.
    package let isProcess: Bool
    /// Whether it moves by itself, and setting it goes there: to write back what was read would be a
    /// leap.
    package let isPlace: Bool
    /// The address by which it is told that it is set, where that takes its time.
    package let end: String?

    init(
      _ forms: [Form], _ source: Source, set: Deed?, told: String = "", isAnnounced: Bool = true,
      isProcess: Bool = false, isPlace: Bool = false, end: String? = nil
    ) {
      self.forms = forms
      self.source = source
      setting = set
      self.told = told
      self.isAnnounced = isAnnounced
      self.isProcess = isProcess
      self.isPlace = isPlace
      self.end = end
    }

    /// Whether it changes without anybody who notes that: it is looked at for its subscribers.
    var isLookedAt: Bool { setting == nil && isAnnounced }
  }

  /// Something to do.
  package final class Act: Sendable {
    /// Arguments that it takes.
    package let forms: [Form]
    /// Whether it is a button, which takes any number, and ignores 0.
    package let isButton: Bool
    /// The address by which its end is told, some time after it was asked for, unless that is
    /// /error; nil where it has none.
    package let end: String?
    let deed: Deed

    init(_ forms: [Form], isButton: Bool = false, end: String? = nil, _ deed: Deed) {
      self.forms = forms
      self.isButton = isButton
      self.end = end
      self.deed = deed
    }

    /// Whether it comes to commands for the audio.
    package var isPlanned: Bool { if case .planned = deed { true } else { false } }
  }
}
