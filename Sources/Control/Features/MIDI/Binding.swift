internal import Engine
internal import HTTP
internal import OSC

/// The mapping of a trigger to an address.
struct Binding: Equatable {
  /// The press that is mapped.
  enum Press: String, CaseIterable {
    /// The range of a controller is that of the address.
    case turn
    /// The address receives press and release.
    case hold
    case short, long, double
    /// The trigger has the light, and presses nothing.
    case light

    /// The presses that can be named.
    static let words: [Press] = [.short, .long, .double]

    /// The press as bits of `PressBits`, or 0.
    var bits: UInt8 {
      switch self {
      case .hold: PressBits.down | PressBits.up
      case .short: PressBits.short
      case .long: PressBits.long
      case .double: PressBits.double
      case .turn, .light: 0
      }
    }
  }

  /// The arguments that a press sends.
  enum Sending: Equatable {
    /// No argument, or the value of the trigger.
    case nothing
    case arguments([Argument])
    /// The other of two values.
    case toggle
    /// The next or the previous value.
    case next, previous

    /// The text in replies.
    var text: String {
      switch self {
      case .nothing: ""
      case .arguments(let arguments):
        arguments.map { $0.text ?? plain($0.number ?? 0) }.joined(separator: " ")
      case .toggle: "toggle"
      case .next: "next"
      case .previous: "previous"
      }
    }
  }

  /// The address.
  private(set) var path: String
  /// The arguments that a press sends.
  let sending: Sending
  /// The press.
  let press: Press
  /// The trigger.
  let trigger: Trigger
  /// The channel on which the trigger was learnt, from 0, or nil.
  var channel: UInt8?

  /// Returns the same mapping for another address.
  func at(_ path: String) -> Binding {
    var binding = self
    binding.path = path
    return binding
  }

  /// Whether another mapping has the same effect, whatever its trigger.
  func isFor(_ other: Binding) -> Bool {
    path == other.path && press == other.press && sending == other.sending
  }

  /// Whether the mapping was learned without arguments.
  var isPlain: Bool {
    switch press {
    case .turn, .hold: true
    case .short: sending == .nothing || sending == .toggle
    case .long, .double, .light: false
    }
  }
}

extension Trigger {
  /// The word of its kind.
  var word: String { "\(kind)" }

  /// Returns its name, as `note:60` or `key:KEY_A`, or `note:60@10` with a channel from 0.
  func text(channel: UInt8?) -> String {
    let name = kind == .key ? KeyNames.name(of: number) : "\(number)"
    guard let channel, kind != .key else { return "\(word):\(name)" }
    return "\(word):\(name)@\(channel + 1)"
  }

  /// Returns the trigger of a name, and its channel from 0, or nil if the name is invalid.
  static func parse(_ text: String) -> (trigger: Trigger, channel: UInt8?)? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[1].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let kind = kind(String(parts[0])), let number = number(String(ends[0]), of: kind),
      let trigger = Trigger(kind, number)
    else { return nil }
    guard ends.count == 2 else { return (trigger, nil) }
    guard let channel = UInt8(ends[1]), 1...16 ~= channel else { return nil }
    return (trigger, channel - 1)
  }

  /// Returns the kind of a word.
  static func kind(_ word: String) -> Kind? {
    word == "cc" ? .controller : Kind.allCases.first { "\($0)" == word }
  }

  /// Returns the number of a trigger by its name.
  static func number(_ name: String, of kind: Kind) -> Int? {
    kind == .key ? KeyNames.code(of: name) : Int(name)
  }

  /// The format of the name of a trigger, for error messages.
  static let usage =
    "note:60, controller:7, program:3 or key:KEY_A, with @10 behind it for a channel"
}

// MARK: - Persistence

extension Binding {
  /// The mapping as one word: an address with a controller, as older versions wrote it, or with a trigger, a
  /// press, and arguments.
  var word: String {
    if press == .turn, channel == nil, trigger.kind == .controller {
      return "\(path)=\(trigger.number)"
    }
    var parts = [trigger.text(channel: channel), press.rawValue]
    switch sending {
    case .nothing: break
    case .toggle, .next, .previous: parts.append(sending.text)
    case .arguments(let arguments): parts += arguments.map(Self.word)
    }
    return "\(path)=\(parts.joined(separator: ","))"
  }

  /// Creates the mapping of a word, or nil if it is invalid.
  init?(word: String) {
    let sides = word.split(separator: "=", maxSplits: 1).map(String.init)
    guard sides.count == 2 else { return nil }
    path = sides[0]
    if let controller = Int(sides[1]) {
      guard let trigger = Trigger(.controller, controller) else { return nil }
      (self.trigger, press, sending) = (trigger, .turn, .nothing)
      return
    }
    let parts = sides[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 2, let (trigger, channel) = Trigger.parse(parts[0]),
      let press = Press(rawValue: parts[1])
    else { return nil }
    (self.trigger, self.channel, self.press) = (trigger, channel, press)
    switch parts.dropFirst(2).first {
    case nil: sending = .nothing
    case "toggle": sending = .toggle
    case "next": sending = .next
    case "previous": sending = .previous
    default:
      var arguments: [Argument] = []
      for part in parts.dropFirst(2) {
        guard let argument = Self.argument(part) else { return nil }
        arguments.append(argument)
      }
      sending = .arguments(arguments)
    }
  }

  private static func word(_ argument: Argument) -> String {
    if let text = argument.text { return "s:" + encoded(text) }
    if case .int32(let number) = argument { return "i:\(number)" }
    return "f:\(argument.number ?? 0)"
  }

  private static func argument(_ word: String) -> Argument? {
    let rest = String(word.dropFirst(2))
    if word.hasPrefix("s:") { return decoded(rest).map(Argument.string) }
    if word.hasPrefix("i:") { return Int32(rest).map(Argument.int32) }
    return word.hasPrefix("f:") ? Double(rest).map(Argument.double) : nil
  }

  // Spaces separate words, commas their parts, and newlines the values of a state.
  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        byte > 32 && byte < 127 && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "%")
      return isPlain ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.text(of: [byte])
    }.joined()
  }

  private static func decoded(_ word: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(word.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
