package import Engine
package import OSC

/// The declaration of one address, from which dispatch, checks, feedback, persistence, help and the
/// reference page are derived.
package struct Address: Sendable {
  /// The nature of an address, with what goes with it.
  package enum Kind: Sendable {
    /// Something that can be asked for, and perhaps be set.
    case value(Value)
    /// Something to do.
    case act(Act)
    /// A message that only the node sends, by itself or as an answer; arriving, it is ignored.
    case event(types: String)
  }

  /// The place of an address among those that each loop has.
  package enum Family: Sendable {
    /// Of the first loop: what it says of itself holds for all.
    case first
    /// Of one of the others.
    case further
    /// Of the selected loop.
    case selected
  }

  /// The address that an alias stands for.
  struct Target: Sendable {
    /// The path of the address that declares kind, unit, persistence and help.
    let path: String
    /// The path that messages are passed to, where it changes with the state of the node; nil where it
    /// is always `path`.
    let selected: (@Sendable (Features) -> String)?
  }

  /// The OSC path.
  package private(set) var path: String
  /// Value, act or event, with its handlers.
  package private(set) var kind: Kind
  /// The unit of its number, for people; empty where it has none.
  package private(set) var unit: String
  /// The law of faders and knobs over its range.
  package private(set) var curve: Curve
  /// One line of help.
  package private(set) var help: String
  /// Whether 0 is one of its whole numbers.
  package private(set) var allowsZero: Bool
  /// Whether a preset made of the present sound holds its value.
  package let belongsToPreset: Bool
  /// The persistence of its value; nil if it is not persisted.
  private(set) var kept: Kept?
  /// Its role among the addresses that each loop has; nil for all others.
  package let family: Family?
  /// The current count of each part in braces, from 1; nil where the path has none.
  let extents: (@Sendable (Features) -> [Int])?
  /// The target of an alias; nil for an address with a declaration of its own.
  let target: Target?

  /// The declaration of an address.
  init(
    _ path: String, _ kind: Kind, unit: String = "", curve: Curve? = nil,
    belongsToPreset: Bool = false, allowsZero: Bool = true, kept: Kept? = nil,
    extents: (@Sendable (Features) -> [Int])? = nil, family: Family? = nil, _ help: String
  ) {
    target = nil
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
    self.target = Target(path: target, selected: selected)
    self.path = path
    kind = .event(types: "")
    unit = ""
    curve = .linear
    help = ""
    belongsToPreset = false
    allowsZero = true
    extents = nil
    family = selected == nil ? nil : .selected
  }

  /// An alias with the declaration of its target.
  func filled(from declaration: Address) -> Address {
    var alias = self
    alias.kind = declaration.kind
    alias.unit = declaration.unit
    alias.curve = declaration.curve
    alias.allowsZero = declaration.allowsZero
    alias.kept = target?.selected == nil ? declaration.kept : nil
    alias.help =
      target?.selected == nil
      ? "\(declaration.help) (alias of \(declaration.path))" : declaration.help
    return alias
  }

  /// The same declaration under another path.
  func renamed(_ path: String) -> Address {
    var address = self
    address.path = path
    return address
  }

  /// Whether it stands for many, with a number for each part in braces.
  package var standsForMany: Bool { extents != nil }

  /// Its path with an N for the number of the loop, where it says what holds for all; nil where another
  /// one does.
  package var pathForAll: String? {
    switch family {
    case .first: "/loop/N/" + path.split(separator: "/").dropFirst(2).joined(separator: "/")
    case .further, .selected: nil
    case nil: path
    }
  }

  /// Whether patterns reach it, though it does something: that of each loop, where its last part is
  /// written out.
  package var isReachedByPatterns: Bool {
    switch family {
    case .first, .further: true
    case .selected, nil: false
    }
  }

  /// Its value; nil where it has none.
  package var value: Value? { if case .value(let value) = kind { value } else { nil } }

  /// Its act; nil where it does nothing but hold a value.
  package var act: Act? { if case .act(let act) = kind { act } else { nil } }

  /// The arguments that it takes, one form each.
  package var forms: [Form] {
    switch kind {
    case .value(let value): value.forms
    case .act(let act): act.forms
    case .event: []
    }
  }

  /// The type tags of its arguments, as the contract writes them.
  package var types: String {
    switch kind {
    case .value(let value) where value.forms.isEmpty: value.told
    case .event(let types): types
    default: forms.map { "\($0.kind.rawValue)" + ($0.isRepeated ? "…" : "") }.joined()
    }
  }

  /// The words that it can be set to; nil where it takes others, or none.
  package var words: [String]? { forms.count == 1 ? forms[0].words : nil }

  /// The form of its value, where that is one number.
  var numberForm: Form? {
    guard let value, value.forms.count == 1, value.forms[0].kind != .text else { return nil }
    return value.forms[0]
  }

  /// The least and the greatest number that it takes; 0 and 0 where it takes none.
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

  /// The address by which its end is told, some time after it was asked for, unless that is
  /// /error; nil where it has none.
  package var end: String? { value?.end ?? act?.end }

  /// Whether an argument that looks like a number is a text all the same: a name, or the beginning
  /// of an identifier.
  package func isText(at index: Int) -> Bool {
    guard forms.indices.contains(index), forms[index].kind == .text, !forms[index].isOfAnyType
    else { return false }
    // Where a number would do as well, it is one.
    return value == nil || !forms[index].isOptional
  }

  /// Whether it is something that goes on, such as a capture: 1 or 0, and to 0 by itself.
  package var isProcess: Bool { value?.isProcess ?? false }

  /// Whether it has a value that can be asked for.
  package var hasValue: Bool { value != nil }

  /// The value at the start, as the engine takes it.
  package var initial: Float? { parameter?.initial }

  /// The engine's value as the address gives it.
  package func argument(for value: Float) -> Argument {
    guard let form = forms.first else { return .float(value) }
    return switch form.kind {
    case .whole: .int32(Int32(value))
    case .text: .string(form.words?[Int(value)] ?? "")
    case .number: .float(value)
    }
  }
}
