internal import Control
internal import JSON
internal import OSC
internal import Posix
internal import Screen

/// The command `syrinx lost`: the times at which a node lost sound, with their causes, as a table.
enum LostCommand: Command {
  static let page = CommandPage(
    name: "lost", summary: "List when a running node lost sound, and why.",
    usage: "syrinx lost [OPTIONS]",
    options: """
      \(NodePlace.option)
      --count COUNT: The last times only, 1 to 100
      --json: As a JSON array of objects with date, milliseconds, cause and detail
      """,
    details: """
      Prints one line per loss, newest first, with its time, length, cause and the evidence for it,
      and then what is wrong with the machine and may cost sound. If standard output is not a
      terminal, the columns are separated by tabs. The node keeps the last 100 losses since its start.

      Causes:
        own        The node's own processing took too long
        client     Another JACK client was late
        cpu        Other programs had the CPU
        fault      An audio thread waited for pages of memory
        stopped    The node was stopped by a signal, a debugger or a container
        server     The JACK server was late or stopped
        card       The sound card was late
        graph      JACK clients or connections changed
        interrupt, steal, frequency, heat, power, disk, memory, suspend: of the machine
        unknown    The machine's counters show no cause

      Examples:
        syrinx lost
        syrinx lost --to 192.168.1.20:8000 --count 10 --json

      Exit codes: 0; 64 for wrong usage; 69 if no node replies.
      """)

  private struct Loss {
    let date: String
    let milliseconds: Double
    let cause: String
    let detail: String
  }

  static func run(_ given: CommandPage.Given) throws(Failure) {
    try given.checkNoArguments()
    let count = try given.whole("count", least: 1)
    if let count, count > 100 { throw .usage("--count takes 1 to 100", got: "\(count)") }
    let conversation = try Conversation(with: given.place)
    var (losses, warnings): ([Loss], [String]) = ([], [])
    conversation.whenAnswered = { path, arguments in
      switch path {
      case "/lost":
        guard arguments.count >= 4, let date = arguments[0].text,
          let milliseconds = arguments[1].number, let cause = arguments[2].text,
          let detail = arguments[3].text
        else { return }
        losses.append(Loss(date: date, milliseconds: milliseconds, cause: cause, detail: detail))
      case "/warning":
        if arguments.count == 2, let text = arguments[1].text { warnings.append(text) }
      default: break
      }
    }
    try conversation.send("/status/lost", count.map { [.int32(Int32($0))] } ?? [])
    try conversation.send("/status/warnings", [])
    try conversation.listen(seconds: nil)
    try show(losses, isJSON: given.has("json"))
    for warning in warnings { Environment.say("warning: \(PlainText.line(warning))") }
  }

  private static func show(_ losses: [Loss], isJSON: Bool) throws(Failure) {
    if isJSON {
      let objects = losses.map { loss in
        let object: JSONText = [
          "date": loss.date, "milliseconds": loss.milliseconds, "cause": loss.cause,
          "detail": loss.detail,
        ]
        return "  " + object.text
      }
      try Failure.print(objects.isEmpty ? "[]\n" : "[\n\(objects.joined(separator: ",\n"))\n]\n")
    } else if let width = Terminal.width {
      try Failure.print(table(losses).lines(width: width).map { $0 + "\n" }.joined())
      if losses.isEmpty { Environment.say("no sound was lost") }
    } else {
      for loss in losses {
        let fields = [loss.date, milliseconds(loss), loss.cause, loss.detail]
        try Failure.print(fields.map(PlainText.line).joined(separator: "\t") + "\n")
      }
    }
  }

  private static func milliseconds(_ loss: Loss) -> String {
    Figure.decimal(loss.milliseconds, places: 1) ?? Figure.unknown
  }

  private static func table(_ losses: [Loss]) -> TextTable {
    func cells(_ text: (Loss) -> String) -> [String] { losses.map { PlainText.line(text($0)) } }
    return TextTable([
      // Day and time, without the zone.
      .init(
        heading: "TIME", cells: cells { String($0.date.prefix(19).map { $0 == "T" ? " " : $0 }) }),
      .init(heading: "MS", cells: cells(milliseconds), isNumeric: true),
      .init(heading: "CAUSE", cells: cells(\.cause)),
      .init(heading: "EVIDENCE", cells: cells(\.detail), least: 20),
    ])
  }
}
