package import Engine
package import OSC

/// The declaration of one address, from which dispatch, checks, feedback, persistence, help and the
/// reference page are derived.
package struct Address: Sendable {
  /// The kind of an address, with its handlers.
  package indirect enum Kind: Sendable {
    /// A value that can be queried, and set where it takes arguments.
    case value(Value)
    /// A command.
    case act(Act)
    /// A message that only the node sends, as a reply or an update.
    ///
    /// The node ignores it as input.
    case event(types: String)
  }

  /// The role of an address among those that each loop has.
  package enum Family: Sendable {
    /// Of the first loop.
    ///
    /// Its entry in the reference describes all loops.
    case first
    /// Of another loop.
    case further
    /// Of the selected loop.
    case selected
  }

  /// The address that an alias stands for.
  struct Target: Sendable {
    /// The path of the address that declares kind, unit, persistence and help.
    let path: String
    /// The path that messages are passed to, if it depends on the state of the node; nil if it is
    /// always `path`.
    let selected: (@Sendable (Features) -> String)?
  }

  /// The OSC path.
  package private(set) var path: String
  /// Value, act or event, with its handlers.
  package private(set) var kind: Kind
  /// The displayed unit of its number, or empty.
  package private(set) var unit: String
  /// The law of faders and knobs over its range.
  package private(set) var curve: Curve
  /// One line of help.
  package private(set) var help: String
  /// Whether 0 is one of its whole numbers.
  package private(set) var allowsZero: Bool
  /// Whether a preset made of the present sound holds its value.
  package private(set) var belongsToPreset: Bool
  /// The persistence of its value; nil if it is not persisted.
  private(set) var kept: Kept?
  /// Its role among the addresses that each loop has; nil for all others.
  package private(set) var family: Family?
  /// The current count of each part in braces, from 1; nil where the path has none.
  let extents: (@Sendable (Features) -> [Int])?
  /// The target of an alias; nil for an address with a declaration of its own.
  private(set) var target: Target?

  /// Whether it deletes or replaces what can't be recorded again, which the lock refuses.
  private(set) var loses = false

  /// The same declaration, refused while the lock is on.
  func losing() -> Address {
    var address = self
    address.loses = true
    return address
  }

  /// The declaration of an address.
  init(
    _ path: String, _ kind: Kind, unit: String = "", curve: Curve? = nil,
    belongsToPreset: Bool = false, allowsZero: Bool = true, kept: Kept? = nil,
    extents: (@Sendable (Features) -> [Int])? = nil, family: Family? = nil, _ help: String
  ) {
    self.family = family
    self.path = path
    self.kind = kind
    self.unit = unit
    self.curve = curve ?? Self.usualCurve(kind, unit: unit)
    self.help = help
    self.belongsToPreset = belongsToPreset
    self.allowsZero = allowsZero
    self.kept = kept
    self.extents = extents
  }

  /// Another name for an address.
  ///
  /// The table fills in the declaration of the target. With `selected`, each message is passed to the path
  /// that `selected` returns, and the alias has no parameter and no persistence of its own.
  init(
    _ path: String, aliasOf target: String, selected: (@Sendable (Features) -> String)? = nil
  ) {
    self.init(path, .event(types: ""), family: selected == nil ? nil : .selected, "")
    self.target = Target(path: target, selected: selected)
  }

  /// An alias with the declaration of its target.
  func filled(from declaration: Address) -> Address {
    var alias = declaration.renamed(path)
    (alias.family, alias.target, alias.belongsToPreset) = (family, target, false)
    if target?.selected == nil {
      alias.help += " (alias of \(declaration.path))"
    } else {
      alias.kept = nil
    }
    return alias
  }

  /// The same declaration under another path.
  func renamed(_ path: String) -> Address {
    var address = self
    address.path = path
    return address
  }

  /// Whether the path has parts in braces, and stands for one address per number.
  package var standsForMany: Bool { extents != nil }

  /// The path in the reference, with N for the number of the loop; nil if the entry of another loop covers
  /// it.
  package var pathForAll: String? {
    switch family {
    case .first: "/loop/N/" + path.split(separator: "/").dropFirst(2).joined(separator: "/")
    case .further, .selected: nil
    case nil: path
    }
  }

  /// Whether a pattern reaches it even if it is a command.
  ///
  /// Commands of loops accept wildcards, except in the last part.
  package var isReachedByPatterns: Bool {
    switch family {
    case .first, .further: true
    case .selected, nil: false
    }
  }

  /// The value; nil for acts and events.
  package var value: Value? { if case .value(let value) = kind { value } else { nil } }

  /// The act; nil for values and events.
  package var act: Act? { if case .act(let act) = kind { act } else { nil } }

  /// The forms of its arguments.
  package var forms: [Form] {
    switch kind {
    case .value(let value): value.forms
    case .act(let act): act.forms
    case .event: []
    }
  }

  /// The OSC type tags of its arguments.
  package var types: String {
    switch kind {
    case .value(let value) where value.forms.isEmpty: value.replyTypes
    case .event(let types): types
    default: forms.map { "\($0.kind.rawValue)" + ($0.isRepeated ? "…" : "") }.joined()
    }
  }

  /// The accepted words; nil if it takes other arguments.
  package var words: [String]? { forms.count == 1 ? forms[0].words : nil }

  /// The form of its value, if that is a single number.
  var numberForm: Form? {
    guard let value, value.forms.count == 1, value.forms[0].kind != .text else { return nil }
    return value.forms[0]
  }

  /// The range of its number; (0, 0) if it takes none.
  package var range: (least: Float, greatest: Float) {
    guard let range = numberForm?.range else { return (0, 0) }
    return (Float(range.lowerBound), Float(range.upperBound))
  }

  /// The engine's parameter behind it.
  package var parameter: Parameter? {
    if target?.selected != nil { return nil }
    if case .parameter(let parameter)? = value?.source { return parameter }
    return nil
  }

  /// The address of the message that reports completion, unless the command fails with /error; nil for
  /// immediate commands.
  package var end: String? { value?.end ?? act?.end }

  /// Whether the argument at an index is text even if it looks like a number, such as a name or an
  /// identifier.
  package func isText(at index: Int) -> Bool {
    guard forms.indices.contains(index), forms[index].kind == .text, !forms[index].isOfAnyType
    else { return false }
    // Numbers win where both are accepted.
    return value == nil || !forms[index].isOptional
  }

  /// Whether the address is a process, such as a capture: 1 while it runs, 0 when it ends on its
  /// own.
  package var isProcess: Bool { value?.isProcess ?? false }

  /// Whether the address has a value that can be queried.
  package var hasValue: Bool { value != nil }

  /// The initial value in the engine's unit.
  package var initial: Float? { parameter?.initial }

  /// Converts a value of the engine to an argument.
  package func argument(for value: Float) -> Argument {
    guard let form = forms.first else { return .float(value) }
    return switch form.kind {
    case .whole: .int32(Int32(value))
    case .text: .string(form.words?[Int(value)] ?? "")
    case .number: .float(value)
    }
  }
}
