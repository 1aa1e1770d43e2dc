internal import Engine
internal import OSC
internal import Posix

/// A controller preset for a pedal, read from a text file.
///
/// Each line maps a press to an address, `note 60 long /loop/1/clear`, assigns a light,
/// `light note 60 /metronome/beat`, or sets the value of lights, `color recording 5`. Text behind a # is a
/// comment.
struct PedalFile {
  /// A line that maps a trigger to a message.
  struct Line: Equatable {
    /// The number of the line, from 1.
    let number: Int
    let trigger: Trigger
    let channel: UInt8?
    /// The press, or nil if the line has none.
    let press: Binding.Press?
    let path: String
    let arguments: [Argument]
  }

  // A map of everything that a pedal can send is shorter.
  static let longest = 64 * 1024

  private(set) var lines: [Line] = []
  private(set) var values = LightValues()

  /// Parses the text of the file at a path, which refusals name.
  private init(_ text: String, _ path: String) throws(Refusal) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      try refusing("\(path):\(index + 1): ") { () throws(Refusal) in
        let words = try Self.words(line.prefix { $0 != "#" })
        if !words.isEmpty { try parse(words, line: index + 1) }
      }
    }
  }

  private mutating func parse(_ words: [String], line: Int) throws(Refusal) {
    if words[0] == "color" {
      guard words.count == 3, let value = UInt8(words[2]), values.set(words[1], to: value) else {
        throw Refusal(
          .type, "expected `color STATE 0…127`, where STATE is on, off or a loop state")
      }
      return
    }
    let isLight = words[0] == "light"
    var rest = words.dropFirst(isLight ? 1 : 0)
    guard rest.count >= 3, let kind = Trigger.kind(rest.removeFirst()) else {
      throw Refusal(.type, "expected `note|controller|program|key NUMBER /ADDRESS`")
    }
    let name = rest.removeFirst()
    guard let number = Trigger.number(name, of: kind), let trigger = Trigger(kind, number) else {
      throw Refusal(.type, "unknown \(kind) \(quoted(name))")
    }
    var channel: UInt8?
    if rest.first == "channel" {
      rest.removeFirst()
      guard let text = rest.popFirst(), let number = UInt8(text), 1...16 ~= number else {
        throw Refusal(.type, "expected a channel from 1 to 16")
      }
      channel = number - 1
    }
    var press: Binding.Press? = isLight ? .light : nil
    if let word = rest.first, let named = Binding.Press(rawValue: word),
      Binding.Press.words.contains(named)
    {
      rest.removeFirst()
      guard !isLight else { throw Refusal(.type, "an LED takes no press") }
      press = named
    }
    guard let path = rest.popFirst(), path.hasPrefix("/") else {
      throw Refusal(.type, "an address starts with /")
    }
    lines.append(
      Line(
        number: line, trigger: trigger, channel: channel, press: press, path: path,
        arguments: rest.map(Self.argument)))
  }

  private static func argument(_ word: String) -> Argument {
    if word.hasPrefix("\"") { return .string(String(word.dropFirst())) }
    if let whole = Int32(word) { return .int32(whole) }
    return Double(word).map(Argument.double) ?? .string(word)
  }

  /// Splits a line into words.
  ///
  /// A quoted text is one word, and keeps its first quote.
  private static func words(_ line: Substring) throws(Refusal) -> [String] {
    var words: [String] = []
    var rest = line
    while let first = rest.first(where: { !$0.isWhitespace }) {
      rest = rest.drop(while: \.isWhitespace)
      guard first == "\"" else {
        let word = rest.prefix { !$0.isWhitespace }
        words.append(String(word))
        rest = rest.dropFirst(word.count)
        continue
      }
      guard let end = rest.dropFirst().firstIndex(of: "\"") else {
        throw Refusal(.type, "missing closing quote")
      }
      words.append(String(rest[..<end]))
      rest = rest[rest.index(after: end)...]
    }
    return words
  }

  // MARK: - Finding

  private static let ending = ".pedal"

  /// Returns the sorted names of the presets in folders.
  static func names(in folders: [String]) -> [String] {
    Set(
      folders.flatMap(Files.names(in:)).filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }
        .map { String($0.dropLast(ending.count)) }
    ).sorted()
  }

  /// Reads a preset from the first folder that has it.
  ///
  /// Returns its path, too.
  static func read(
    _ name: String, in folders: [String]
  ) throws(Refusal) -> (file: PedalFile, path: String) {
    guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else {
      throw Refusal(.denied, "the name of a controller preset has no slash and no leading dot")
    }
    for folder in folders {
      let path = "\(folder)/\(name)\(ending)"
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try Files.contents(of: path, atMost: longest)
      } catch {
        if error.isMissing { continue }
        throw error.refusal
      }
      return (try PedalFile(String(decoding: bytes, as: UTF8.self), path), path)
    }
    let names = names(in: folders)
    let hint =
      name.nearest(of: names).map { "did you mean \($0)?" }
      ?? (names.isEmpty ? "none exist" : "known are \(names.joined(separator: ", "))")
    throw Refusal(.missing, "unknown controller preset \(quoted(name)); \(hint)")
  }
}
