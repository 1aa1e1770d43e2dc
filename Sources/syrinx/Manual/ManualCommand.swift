internal import Posix

/// The command `syrinx manual`: prints manual pages for `man`.
enum ManualCommand: Command {
  static let page = CommandPage(
    name: "manual", summary: "Print a manual page, in the format of man.",
    usage: "syrinx manual [COMMAND]",
    options: "",
    details: """
      The pages have the text of `--help`. Without a COMMAND it prints the page of the whole program.

      Examples:
        syrinx manual | man -l -
        syrinx manual run > syrinx-run.1

      Exit codes: 0; 64 for wrong usage.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    guard given.rest.count < 2 else {
      throw .usage("`syrinx manual` takes one command", got: given.rest[1])
    }
    try Failure.print(
      try given.rest.first.map { name throws(Failure) in
        ManualPage(try Syrinx.command(name, after: "manual ").page).text
      } ?? ManualPage.overview(Syrinx.overview, commands: Syrinx.commands.map { $0.page }).text)
  }
}
