internal import Posix

/// A command's options, from which both its parser and its help page are generated.
struct CommandPage: Sendable {
  /// An option: its names, its value and its help.
  struct Option: Sendable {
    let long: String
    let short: String?
    /// The name of the option's value; nil for a flag.
    let value: String?
    let help: String

    /// Parses a line such as `-s, --server NAME: JACK server to join`.
    init(_ line: Substring) {
      let end = line.firstRange(of: ": ")!
      let words = line[..<end.lowerBound].split(separator: " ").map(String.init)
      let names = words.prefix { $0.hasPrefix("-") }
      long = String(names[names.count - 1].dropFirst(2))
      short = names.count > 1 ? String(names[0].dropFirst().prefix(1)) : nil
      value = words.count > names.count ? words[names.count] : nil
      help = String(line[end.upperBound...])
    }
  }

  /// The options and arguments given on a command line.
  struct Given {
    fileprivate(set) var values: [String: [String]] = [:]
    fileprivate(set) var rest: [String] = []
    fileprivate let command: String

    /// Throws if there are arguments.
    func checkNoArguments(_ accepted: String = "options only") throws(Failure) {
      if let extra = rest.first { throw .usage("`\(command)` takes \(accepted)", got: extra) }
    }

    /// Returns the last value of an option.
    subscript(option: String) -> String? { values[option]?.last }

    /// Returns all values of an option.
    func all(_ option: String) -> [String] { values[option] ?? [] }

    /// Whether an option was given.
    func has(_ option: String) -> Bool { values[option] != nil }

    /// Returns all values of an option, parsed; throws what is accepted if one can't be parsed.
    func values<Value>(
      _ option: String, _ accepted: String, _ parse: (String) -> Value?
    ) throws(Failure) -> [Value] {
      try all(option).map { text throws(Failure) -> Value in
        if let value = parse(text) { return value }
        throw .usage("--\(option) takes \(accepted)", got: text)
      }
    }

    /// Returns the last value of an option, parsed; throws what is accepted if it can't be parsed.
    func value<Value>(
      _ option: String, _ accepted: String, _ parse: (String) -> Value?
    ) throws(Failure) -> Value? {
      guard let text = self[option] else { return nil }
      if let value = parse(text) { return value }
      throw .usage("--\(option) takes \(accepted)", got: text)
    }

    /// Returns the number that an option gives, which must be in a range.
    func number<Number: LosslessStringConvertible>(
      _ option: String, _ range: ClosedRange<Number>, _ accepted: String
    ) throws(Failure) -> Number? {
      try value(option, accepted) { Number($0).flatMap { range ~= $0 ? $0 : nil } }
    }

    /// Returns the integer that an option gives, which must not be below `least`.
    func whole(_ option: String, least: Int) throws(Failure) -> Int? {
      try number(option, least...Int.max, "a number, \(least) or more")
    }

    /// Returns the seconds that an option gives.
    func seconds(_ option: String) throws(Failure) -> Double? {
      try number(option, 0...Double.greatestFiniteMagnitude, "seconds, 0 or more")
    }
  }

  let name: String
  let summary: String
  let usage: String
  let options: [Option]
  /// The details of the help page: paragraphs and examples.
  let details: String

  private static let common = list("-h, --help: Show this page\n--version: Show the version")

  /// Creates a page with options, one per line.
  init(name: String, summary: String, usage: String, options: String, details: String) {
    self.name = name
    self.summary = summary
    self.usage = usage
    self.options = Self.list(options)
    self.details = details
  }

  /// The options of the page and those of all commands.
  var allOptions: [Option] { options + Self.common }

  private static func list(_ options: String) -> [Option] {
    options.split(separator: "\n").map(Option.init)
  }

  /// Parses the arguments into options and the rest.
  func parse(_ arguments: [String]) throws(Failure) -> Given {
    var given = Given(command: fullName)
    var rest = arguments[...]
    var onlyRest = false
    while let argument = rest.popFirst() {
      // A - followed by a digit is a negative number.
      let isOption =
        argument.hasPrefix("-") && argument.count > 1
        && !(argument.dropFirst().first.map { $0.isNumber || $0 == "." } ?? false)
      if onlyRest || !isOption {
        given.rest.append(argument)
      } else if argument == "--" {
        onlyRest = true
      } else {
        try take(argument, &rest, &given)
      }
    }
    return given
  }

  private func take(
    _ argument: String, _ rest: inout ArraySlice<String>, _ given: inout Given
  ) throws(Failure) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let key = String(parts[0])
    guard
      let option = allOptions.first(where: {
        key == "--\($0.long)" || (key.count == 2 && $0.short.map { key == "-\($0)" } ?? false)
      })
    else {
      let names = allOptions.map { "--\($0.long)" }
      let hint =
        key.nearest(of: names).map { "did you mean \($0)?" } ?? "`\(fullName) --help` lists all"
      throw Failure(.usage, "unknown option \(key) of `\(fullName)`; \(hint)")
    }
    guard let valueName = option.value else {
      guard parts.count == 1 else { throw Failure(.usage, "--\(option.long) takes no value") }
      given.values[option.long, default: []].append("")
      return
    }
    guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
      throw Failure(.usage, "--\(option.long) needs a value: --\(option.long) \(valueName)")
    }
    given.values[option.long, default: []].append(value)
  }

  private var fullName: String { name.isEmpty ? "syrinx" : "syrinx \(name)" }

  /// The text of the help page.
  var help: String {
    let rows = allOptions.map { option -> (String, String) in
      let short = option.short.map { "-\($0), " } ?? "    "
      return (short + "--\(option.long)" + (option.value.map { " \($0)" } ?? ""), option.help)
    }
    let width = rows.map(\.0.count).max() ?? 0
    var page = "\(summary)\n\nUsage: \(usage)\n\n"
    if !details.isEmpty { page += details + "\n\n" }
    page += "Options:\n"
    for (left, right) in rows {
      let indent = String(repeating: " ", count: width + 4)
      page += "  " + left + String(repeating: " ", count: width - left.count) + "  "
      page += wrapped(right, width: 96 - width).joined(separator: "\n" + indent) + "\n"
    }
    return page
  }

  private func wrapped(_ text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      if !lines[lines.count - 1].isEmpty, lines[lines.count - 1].count + 1 + word.count > width {
        lines.append("")
      }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines
  }
}
