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

    init(_ long: String, short: String? = nil, value: String? = nil, _ help: String) {
      self.long = long
      self.short = short
      self.value = value
      self.help = help
    }
  }

  /// The options and arguments given on a command line.
  struct Given {
    fileprivate(set) var values: [String: [String]] = [:]
    fileprivate(set) var rest: [String] = []

    /// Returns the last value of an option.
    subscript(option: String) -> String? { values[option]?.last }

    /// Returns all values of an option.
    func all(_ option: String) -> [String] { values[option] ?? [] }

    /// Whether an option was given.
    func has(_ option: String) -> Bool { values[option] != nil }
  }

  let name: String
  let summary: String
  let usage: String
  let options: [Option]
  /// The details of the help page: paragraphs and examples.
  let details: String

  private static let common = [
    Option("help", short: "h", "Show this page"),
    Option("version", "Show the version"),
  ]

  /// Parses the arguments into options and the rest.
  func parse(_ arguments: [String]) throws(Failure) -> Given {
    var given = Given()
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
      let option = (options + Self.common).first(where: {
        key == "--\($0.long)" || (key.count == 2 && $0.short.map { key == "-\($0)" } ?? false)
      })
    else {
      let names = (options + Self.common).map { "--\($0.long)" }
      let hint =
        key.nearest(of: names).map { "is \($0) meant?" } ?? "`\(fullName) --help` lists them"
      throw Failure(.usage, "\(key) is no option of `\(fullName)`; \(hint)")
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
    let rows = (options + Self.common).map { option -> (String, String) in
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
