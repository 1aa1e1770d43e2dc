package import Engine
package import OSC

/// The declaration of one address: all that dispatch, checks, feedback, help and the reference
/// page know of it.
package struct Address: Sendable {
  /// What it is, with what goes with each kind.
  package enum Kind: Sendable {
    /// A number that can be set and asked for.
    case number(Parameter, ClosedRange<Float>, initial: Float)
    /// A whole number that can be set and asked for.
    case whole(Parameter, ClosedRange<Int>, initial: Int)
    /// One word of a few that can be set and asked for.
    case choice(Parameter, [String], initial: Int)
    /// Something that is on or off, and can go off by itself: set, a command for the audio thread at
    /// the message's own time.
    case toggle(
      read: @Sendable (Node) -> Bool,
      make: @Sendable (Node, Bool, Request) throws(Refusal) -> PlannedCommand)
    /// The name of something that stands for much: with it, commands for the audio thread at the
    /// message's own time; without, the question which was the last.
    case selection(
      read: @Sendable (Node) -> String,
      make: @Sendable (Node, Request) throws(Refusal) -> [PlannedCommand])
    /// A place that moves by itself, to be asked for; with a number, a command to go there.
    case place(
      ClosedRange<Float>, read: @Sendable (Node) -> Float,
      make: @Sendable (Float) -> Command.Action)
    /// Values that can only be asked for; subscribers are told the announced ones as they change.
    case reading(types: String, isAnnounced: Bool, read: @Sendable (Node) -> [Argument])
    /// Something to do. A button ignores the number 0.
    case action([Form], isButton: Bool, perform: @Sendable (Node, Request) throws(Refusal) -> Void)
    /// What the control side keeps, also over a restart: one or more values that can be set
    /// together, and asked for; subscribers are told them as they change.
    case setting(
      [Form], read: @Sendable (Node) -> [Argument],
      write: @Sendable (Node, Request) throws(Refusal) -> Void)
    /// Something to do that takes its time: a client who asked for it is told of its end by
    /// /reply, or by the address that is named here, or by /error. Where it sets something, without
    /// arguments it is the question for that, and subscribers are told it as it changes.
    case errand(
      [Form], end: String = "/reply", read: (@Sendable (Node) -> [Argument])? = nil,
      start: @Sendable (Node, Request) throws(Refusal) -> Void)
    /// Something that the audio thread does or answers at the message's own time. A button
    /// ignores the number 0.
    case command(
      [Form], isButton: Bool, make: @Sendable (Node, Request) throws(Refusal) -> PlannedCommand)
    /// Something that is played: what is meant by it is settled as it arrives, and it comes to as
    /// many commands as it needs at the message's own time, or to none. A button ignores the
    /// number 0.
    case gesture(
      [Form], isButton: Bool, make: @Sendable (Node, Request, inout Plan) throws(Refusal) -> Void)
    /// A setting that decides what gestures mean: it holds for what comes after it in the same
    /// packet, and comes to the commands that end what it does away with.
    case arrangement(
      [Form], read: @Sendable (Node) -> [Argument],
      make: @Sendable (Node, Request, inout Plan) throws(Refusal) -> Void)
    /// What only the node sends, by itself or as an answer; arriving, it is ignored.
    case sent(types: String)
  }

  /// One argument of an action.
  package struct Form: Sendable {
    /// What it may be.
    package enum Kind: Character, Sendable {
      case whole = "i"
      case number = "f"
      case text = "s"
    }

    /// Its name in the help.
    package let name: String
    /// What it may be.
    package let kind: Kind
    /// The values that it may have, where it is a number.
    package let range: ClosedRange<Double>
    /// Whether it can be left out.
    package let isOptional: Bool
    /// Whether there can be as many of it as there are, to the end of the message.
    package let isRepeated: Bool

    /// An argument that is needed.
    package static func needed(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name: name, kind: kind, range: range, isOptional: false, isRepeated: false)
    }

    /// An argument that can be left out.
    package static func optional(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name: name, kind: kind, range: range, isOptional: true, isRepeated: false)
    }

    /// As many arguments as there are, to the end; the last of the forms.
    package static func rest(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name: name, kind: kind, range: range, isOptional: true, isRepeated: true)
    }

    /// All that 32 bits hold.
    package static let anything = Double(Int32.min)...Double(Int32.max)
  }

  /// The address itself.
  package let path: String
  /// What it is.
  package let kind: Kind
  /// The unit of its number, for people; empty where it has none.
  package let unit: String
  /// One line of help.
  package let help: String
  /// Whether 0 is one of its whole numbers.
  package let allowsZero: Bool
  /// Whether a preset made of the present sound holds its value.
  package let belongsToPreset: Bool
  /// Whether the value of its parameter is kept in the library of takes, for all nodes that have it.
  package let isKept: Bool
  /// Whether it is for the moment only, and at its initial value when the node is started again.
  package let isMomentary: Bool

  /// The declaration of an address.
  package init(
    _ path: String, _ kind: Kind, unit: String = "", belongsToPreset: Bool = false,
    allowsZero: Bool = true, isKept: Bool = false, isMomentary: Bool = false, _ help: String
  ) {
    self.path = path
    self.kind = kind
    self.unit = unit
    self.help = help
    self.belongsToPreset = belongsToPreset
    self.allowsZero = allowsZero
    self.isKept = isKept
    self.isMomentary = isMomentary
  }

  /// The type tags of its arguments, as the contract writes them.
  package var types: String {
    switch kind {
    case .number, .place: "f"
    case .whole, .toggle: "i"
    case .choice, .selection: "s"
    case .reading(let types, _, _), .sent(let types): types
    case .action(let forms, _, _), .command(let forms, _, _), .errand(let forms, _, _, _),
      .setting(let forms, _, _), .gesture(let forms, _, _), .arrangement(let forms, _, _):
      forms.map { "\($0.kind.rawValue)" + ($0.isRepeated ? "…" : "") }.joined()
    }
  }

  /// The least and the greatest number that it takes; 0 and 0 where it takes none.
  package var range: (least: Float, greatest: Float) {
    switch kind {
    case .number(_, let range, _), .place(let range, _, _): (range.lowerBound, range.upperBound)
    case .whole(_, let range, _): (Float(range.lowerBound), Float(range.upperBound))
    case .setting(let forms, _, _) where forms.count == 1 && forms[0].kind != .text,
      .arrangement(let forms, _, _) where forms.count == 1 && forms[0].kind != .text:
      (Float(forms[0].range.lowerBound), Float(forms[0].range.upperBound))
    case .toggle: (0, 1)
    default: (0, 0)
    }
  }

  /// The engine's parameter behind it.
  package var parameter: Parameter? {
    switch kind {
    case .number(let parameter, _, _), .whole(let parameter, _, _),
      .choice(let parameter, _, _):
      parameter
    default: nil
    }
  }

  /// The address by which its end is told, some time after it was asked for, unless that is
  /// /error; nil where it has none.
  package var end: String? {
    if case .errand(_, let end, _, _) = kind { end } else { nil }
  }

  /// Whether an argument that looks like a number is a text all the same: a name, or the beginning
  /// of an identifier.
  package func isText(at index: Int) -> Bool {
    switch kind {
    case .choice, .selection: index == 0
    case .action(let forms, _, _), .errand(let forms, _, _, _):
      forms.indices.contains(index) && forms[index].kind == .text
    default: false
    }
  }

  /// Whether it is 1 or 0, and can go to 0 by itself.
  package var isToggle: Bool {
    if case .toggle = kind { true } else { false }
  }

  /// Whether it has a value that can be asked for.
  package var hasValue: Bool {
    switch kind {
    case .reading, .selection, .place, .setting, .arrangement, .toggle: true
    case .errand(_, _, let read, _): read != nil
    default: parameter != nil
    }
  }

  /// The value at the start, as the engine takes it.
  package var initial: Float? {
    switch kind {
    case .number(_, _, let initial): initial
    case .whole(_, _, let initial), .choice(_, _, let initial): Float(initial)
    default: nil
    }
  }

  /// The engine's value as the address gives it.
  package func argument(for value: Float) -> Argument {
    switch kind {
    case .whole: .int32(Int32(value))
    case .choice(_, let words, _): .string(words[Int(value)])
    default: .float(value)
    }
  }
}
