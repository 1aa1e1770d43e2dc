internal import Control
internal import JSON
internal import OSC
internal import Posix
internal import Screen

/// The command `syrinx status`: the values of `/status` by name.
enum StatusCommand: Command {
  static let page = CommandPage(
    name: "status", summary: "Print the status of a running node: the values of /status by name.",
    usage: "syrinx status [OPTIONS]",
    options: """
      \(NodePlace.option)
      --json: As a JSON object, each value under its name
      """,
    details: """
      Prints one line per value, with name, value, unit and description. `syrinx send /status/NAME`
      queries one value, and `syrinx watch` shows more, continuously.

      Examples:
        syrinx status
        syrinx status --to 192.168.1.20:8000 --json

      Exit codes: 0; 64 for wrong usage; 69 if no node replies.
      """)

  private static let pages = "/status/"

  static func run(_ given: CommandPage.Given) throws(Failure) {
    try given.checkNoArguments()
    let conversation = try Conversation(with: given.place)
    var answers: [String: [Argument]] = [:]
    conversation.whenAnswered = { answers[$0] = $1 }
    try conversation.send("/ping", [])
    try conversation.send("/status", [])
    try conversation.listen(seconds: nil)
    let values = rows(answers)
    try Failure.print(given.has("json") ? json(values) : text(values))
  }

  private struct Row {
    let name: String
    let value: Argument
    var unit = ""
    var help = ""
  }

  private static func rows(_ answers: [String: [Argument]]) -> [Row] {
    var rows: [Row] = []
    if let pong = answers["/pong"], pong.count >= 3 {
      rows.append(Row(name: "name", value: pong[1], help: "Name of the JACK client"))
      rows.append(Row(name: "version", value: pong[2], help: "Version of the program"))
    }
    let addresses = AddressTable.node.addresses.filter { $0.path.hasPrefix(pages) }
    // A node of another version may report fewer values, or more at the end.
    for (address, value) in zip(addresses, answers["/status"] ?? []) {
      rows.append(
        Row(
          name: String(address.path.dropFirst(pages.count)), value: value, unit: address.unit,
          help: address.help))
    }
    return rows
  }

  private static func json(_ rows: [Row]) -> String {
    let members = rows.map { "\(JSON.written($0.name)):\(AnswerText.value($0.value))" }
    return "{\(members.joined(separator: ","))}\n"
  }

  private static func text(_ rows: [Row]) -> String {
    let values = rows.map { figure($0.value) }
    let widths = (
      name: rows.map(\.name.count).max() ?? 0, value: values.map(\.count).max() ?? 0,
      unit: rows.map(\.unit.count).max() ?? 0
    )
    return zip(rows, values).map { row, value in
      let columns = [
        Figure.left(row.name, widths.name), Figure.right(value, widths.value),
        Figure.left(row.unit, widths.unit), row.help,
      ]
      return columns.joined(separator: "  ") + "\n"
    }.joined()
  }

  /// Formats a value with one decimal, unless it is an integer.
  private static func figure(_ value: Argument) -> String {
    if case .float(let number) = value, number.isFinite { return "\((number * 10).rounded() / 10)" }
    return AnswerText.plainWord(value)
  }
}
