internal import Control
internal import JSON
internal import Posix
internal import Screen

/// The command `syrinx rig`: the nodes that can be found, and their states.
enum RigCommand: Command {
  static let page = CommandPage(
    name: "rig", summary: "List the nodes of this machine and of the network.",
    usage: "syrinx rig [OPTIONS]",
    options: "--json: As a JSON array of objects",
    details: """
      Prints one line per node: its name, host, address, DSP load, the number of dropouts since its
      start, the state of its sound server, its last scene, and the maximum error of its clock in
      milliseconds, as reported by the kernel; none means that the clock is not synchronized. If
      standard output is not a terminal, the columns are separated by tabs.

      Nodes of other machines are found through Avahi, if they run with --listen lan. A node that is
      announced but doesn't reply is listed as silent. `syrinx send --to NAME` sends to one node,
      and `syrinx send --to all` to all of them.

      Examples:
        syrinx rig
        syrinx rig --json
        syrinx send --to all /scene/next

      Exit codes: 0; 64 for wrong usage.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    try given.checkNoArguments()
    let (nodes, hasAvahi) = RigCensus.take()
    if given.has("json") {
      let objects = nodes.map { "  " + object($0).text }
      try Failure.print(
        objects.isEmpty
          ? "[]\n" : PlainText.json("[\n\(objects.joined(separator: ",\n"))\n]\n"))
    } else if let width = Terminal.width {
      if !nodes.isEmpty {
        try Failure.print(table(nodes).lines(width: width).map { $0 + "\n" }.joined())
      }
    } else {
      for node in nodes {
        try Failure.print(
          columns.map { PlainText.line($0.text(node)) }.joined(separator: "\t") + "\n")
      }
    }
    if nodes.isEmpty { Environment.say("no node was found") }
    if !hasAvahi {
      Environment.say("Avahi is not running, so only nodes of this machine can be found")
    }
  }

  private struct Column: Sendable {
    let heading: String
    var isNumeric = false
    let text: @Sendable (RigNode) -> String
  }

  private static let columns = [
    Column(heading: "NAME") { $0.name },
    Column(heading: "HOST") { $0.host },
    Column(heading: "ADDRESS") { $0.place },
    Column(heading: "LOAD", isNumeric: true) { decimal($0.load.map(Double.init)) },
    Column(heading: "LOST", isNumeric: true) { $0.lost.map(String.init) ?? Figure.unknown },
    Column(heading: "SERVER") { $0.server },
    Column(heading: "SCENE") { $0.scene },
    Column(heading: "CLOCK", isNumeric: true) {
      $0.clockError.map { $0 < 0 ? "none" : decimal($0) } ?? Figure.unknown
    },
  ]

  private static func decimal(_ value: Double?) -> String {
    value.flatMap { Figure.decimal($0, places: 1) } ?? Figure.unknown
  }

  private static func table(_ nodes: [RigNode]) -> TextTable {
    TextTable(
      columns.map { column in
        .init(
          heading: column.heading, cells: nodes.map { PlainText.line(column.text($0)) },
          isNumeric: column.isNumeric)
      })
  }

  private static func object(_ node: RigNode) -> JSONText {
    var members: [(String, any JSONWritable)] = [
      ("name", node.name), ("host", node.host), ("address", node.place), ("server", node.server),
      ("scene", node.scene),
    ]
    if let load = node.load { members.append(("load", (Double(load) * 10).rounded() / 10)) }
    if let lost = node.lost { members.append(("lost", lost)) }
    if let error = node.clockError, error >= 0 { members.append(("clock", error)) }
    return JSONText(members)
  }
}
