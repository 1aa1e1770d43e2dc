/// Words and kinds of values that a shell can complete, derived from the declarations of the help pages.
extension CommandPage {
  /// A word that a shell can complete, and its description.
  struct Word {
    let text: String
    let summary: String
  }

  /// The kind of a value or argument.
  enum Kind: Equatable {
    /// One of these words.
    case words([String])
    case folder
    case file
    /// The name of a command.
    case command
    /// An OSC address.
    case address
    /// An OSC address, = and a value.
    case setting
    /// Anything else.
    case text

    /// Derives the kind from the name of a value, such as `local|lan` or `FILE`.
    init(_ name: String) {
      let parts = name.split(separator: "|").map(String.init)
      let words = parts.filter { word in
        word.first?.isLowercase == true && word.allSatisfy { $0.isLowercase || $0 == "-" }
      }
      self =
        if name.hasPrefix("/") {
          .setting
        } else if parts.contains("FILE") || parts.contains("DEVICE") {
          .file
        } else if parts.contains("DIR") {
          .folder
        } else if !words.isEmpty {
          .words(words)
        } else {
          .text
        }
    }
  }

  /// The summary without its period, as a list of commands shows it.
  var headline: Substring { summary.hasSuffix(".") ? summary.dropLast() : summary[...] }

  /// The rows under `Commands:` on the help page: a word with its arguments, and a summary.
  private var rows: [(left: String, right: String)] {
    let lines = details.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(of: "Commands:") else { return [] }
    return lines[(start + 1)...].prefix { $0.hasPrefix("  ") }.map { line in
      let row = line.drop { $0 == " " }
      let gap = row.firstRange(of: "  ") ?? row.endIndex..<row.endIndex
      return (String(row[..<gap.lowerBound]), String(row[gap.upperBound...].drop { $0 == " " }))
    }
  }

  /// The words accepted as the first argument: those listed on the page, or in the line of its usage.
  var words: [Word] {
    var words = rows.map { row in
      Word(text: String(row.left.prefix { $0 != " " }), summary: row.right)
    }
    for line in usage.split(separator: "\n") {
      for alternative in (" " + line).split(separator: " | ") {
        let own = alternative.split(separator: " ").drop { $0 == "syrinx" || $0 == name }
        guard let first = own.first, case .words(let choices) = Kind(String(first)) else {
          continue
        }
        words += choices.map { Word(text: $0, summary: "") }
      }
    }
    var seen: Set<String> = []
    return words.filter { seen.insert($0.text).inserted }
  }

  /// The kind of the arguments after `words`; nil if the command takes none.
  var operand: Kind? {
    let names = ([usage] + rows.map(\.left)).joined(separator: " ")
      .split { " |[].\n".contains($0) }
    if names.contains("/address") { return .address }
    if usage.contains("[COMMAND]") { return .command }
    if !Set(names).isDisjoint(with: ["FILE", "FOLDER", "IN"]) { return .file }
    return names.contains("ID") || names.contains("WORD") ? .text : nil
  }
}

extension CommandPage.Option {
  /// The names as they are typed, the short one first.
  var names: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }

  /// The kind of the option's value; nil for a flag.
  var kind: CommandPage.Kind? { value.map(CommandPage.Kind.init) }

  /// Whether the option has an effect each time it is given.
  var isRepeatable: Bool { help.contains("repeatable") }

  /// The first part of the help: without defaults, details and restrictions.
  var summary: String {
    let ends = ["; ", " (", ", such as"].compactMap { help.firstRange(of: $0)?.lowerBound }
    return String(help[..<(ends.min() ?? help.endIndex)])
  }
}
