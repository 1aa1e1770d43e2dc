internal import Control
internal import Posix

/// The command `syrinx addresses`: prints the address table.
enum AddressesCommand: Command {
  static let page = CommandPage(
    name: "addresses", summary: "List all OSC addresses with their types, ranges and help.",
    usage: "syrinx addresses [--json | --markdown]",
    options: """
      --json: As a JSON array of objects
      --markdown: As a Markdown table, as in the reference page
      """,
    details: """
      A running node sends the same list over OSC: syrinx send /addresses
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    try given.checkNoArguments("no arguments")
    guard !given.has("json") || !given.has("markdown") else {
      throw Failure(.usage, "--json and --markdown exclude each other")
    }
    let addresses = AddressTable.node.addresses
    try Failure.print(
      given.has("json")
        ? Reference.json(addresses)
        : given.has("markdown") ? Reference.markdown(addresses) : Reference.text(addresses))
  }
}
