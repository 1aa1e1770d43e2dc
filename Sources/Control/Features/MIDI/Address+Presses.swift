internal import Engine
internal import OSC

/// The effect of presses on an address.
extension Address {
  /// The lower and the higher value, if it has two values.
  var ends: (low: Argument, high: Argument)? {
    guard let value, value.setting != nil, value.forms.count == 1, value.forms[0].kind == .whole
    else { return nil }
    switch value.forms[0].range {
    case 0...1: return (.int32(0), .int32(1))
    case -1...1: return allowsZero ? nil : (.int32(-1), .int32(1))
    default: return nil
    }
  }

  /// Whether the address receives a number on press and on release.
  var isHeld: Bool {
    guard let act, !act.isButton, act.isPlanned, act.forms.count == 1 else { return false }
    return act.forms[0].kind != .text && act.forms[0].range != Form.anything
  }

  /// Whether a press is 1 and a release 0, whatever the trigger's value.
  func isPedal(at path: String) -> Bool { isHeld && path.hasSuffix("/pedal") }

  /// Whether a message without an argument is a command, not a query.
  var isPressed: Bool {
    guard let act, !isHeld, act.forms.allSatisfy(\.isOptional) else { return false }
    if case .asked = act.effect { return false }
    return true
  }

  /// The argument for a press with a value from 0 to 127.
  func argument(pressedBy value: Int, at path: String) -> Argument? {
    isPedal(at: path) ? argument(at: value > 0 ? 1 : 0) : argument(at: Double(value) / 127)
  }

  /// The meaning of arguments for a press, or throws if they can't be sent.
  func sending(
    _ arguments: [Argument], at path: String, list: String?
  ) throws(Refusal) -> Binding.Sending {
    if arguments.isEmpty {
      if isPressed || isHeld { return .nothing }
      if ends != nil { return .toggle }
      throw Refusal(
        .type,
        "\(path): missing the argument to send on a press, after the address; expected \(usage)")
    }
    if arguments.count == 1, let word = arguments[0].text, !(words?.contains(word) ?? false) {
      if word == "toggle", ends != nil { return .toggle }
      if words != nil || list != nil {
        if word == "next" { return .next }
        if word == "previous" { return .previous }
      }
    }
    switch kind {
    case .event: throw wrongType(got: arguments)
    case .value(let value):
      guard value.setting != nil else { throw wrongType(got: arguments) }
      if parameter != nil {
        guard arguments.count == 1 else { throw wrongType(got: arguments) }
        _ = try self.value(from: arguments[0])
      } else {
        _ = try match(arguments, to: forms)
      }
    case .act(let act):
      let rest = act.isButton ? try press(arguments) ?? [] : arguments
      _ = try match(rest, to: forms)
    }
    return .arguments(arguments.map(\.asKept))
  }
}

extension Argument {
  /// The argument as restored: a text, a whole number, or a number.
  fileprivate var asKept: Argument {
    if let text { return .string(text) }
    if case .int32 = self { return self }
    return .double(number ?? 0)
  }
}

extension Command.Action {
  /// Whether a press can send it any number of times: it refers to no object made for it, and means the
  /// same at any time.
  var canBeBound: Bool {
    switch self {
    case .set, .loop, .nextLoop, .fade, .fadeAll, .seek, .keep, .resetChain, .clearGuard,
      .playPhrase, .stopPhrase, .note(.allOff):
      true
    default: false
    }
  }
}
