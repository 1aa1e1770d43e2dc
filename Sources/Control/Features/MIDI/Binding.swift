internal import Engine
internal import OSC

/// The binding of a trigger to an address: a press of it sends something there.
struct Binding: Equatable {
  /// The press that is bound.
  enum Press: String, CaseIterable {
    /// A controller's way is the address's range.
    case turn
    /// The address is told of the press, and of its end.
    case hold
    case short, long, double
    /// Nothing is pressed: only its light is the trigger's.
    case light

    /// Those that can be asked for.
    static let words: [Press] = [.short, .long, .double]

    /// The press as the engine has it; 0 where it has none.
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
    /// No argument, or the trigger's own value.
    case nothing
    case arguments([Argument])
    /// The other one of two values.
    case toggle
    /// The next of the values that there are, or the one before.
    case next, previous

    /// The text that it is told by.
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

  /// The address, as it is written.
  private(set) var path: String
  /// The arguments that a press sends there.
  let sending: Sending
  /// The press.
  let press: Press
  /// The trigger.
  let trigger: Trigger
  /// The channel on which that was learnt, from 0; nil where that is not known.
  var channel: UInt8?

  /// The same for another address.
  func at(_ path: String) -> Binding {
    var binding = self
    binding.path = path
    return binding
  }

  /// Whether another one is for the same, by whatever trigger.
  func isFor(_ other: Binding) -> Bool {
    path == other.path && press == other.press && sending == other.sending
  }

  /// Whether it was learnt by its address alone.
  var isPlain: Bool {
    switch press {
    case .turn, .hold: true
    case .short: sending == .nothing || sending == .toggle
    case .long, .double, .light: false
    }
  }
}

extension Trigger {
  /// The kind's word.
  var word: String { "\(kind)" }

  /// The trigger's name, as `note:60` or `key:KEY_A`, with the channel, from 0, as `note:60@10`.
  func text(channel: UInt8?) -> String {
    let name = kind == .key ? KeyNames.name(of: number) : "\(number)"
    guard let channel, kind != .key else { return "\(word):\(name)" }
    return "\(word):\(name)@\(channel + 1)"
  }

  /// The trigger of a name, and its channel, from 0; nil where there is none.
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

  /// The kind of a word.
  static func kind(_ word: String) -> Kind? {
    word == "cc" ? .controller : Kind.allCases.first { "\($0)" == word }
  }

  /// The number of a trigger by its name.
  static func number(_ name: String, of kind: Kind) -> Int? {
    kind == .key ? KeyNames.code(of: name) : Int(name)
  }

  /// The shape of a trigger's name, for who wrote another one.
  static let usage =
    "note:60, controller:7, program:3 or key:KEY_A, with @10 behind it for a channel"
}

// MARK: - What is kept

extension Binding {
  /// The binding as one word: an address with a controller alone, as older versions wrote them, or
  /// with a trigger, a press, and what is sent.
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

  /// The binding of a word, unless that is none.
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

  // Blanks part the words, commas their parts, and a state is kept as lines.
  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        byte > 32 && byte < 127 && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "%")
      if isPlain { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16)
      return "%" + (digits.count < 2 ? "0" : "") + digits
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
