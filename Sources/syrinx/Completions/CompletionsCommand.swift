internal import Control
internal import Posix

/// The command `syrinx completions`: prints a script with which a shell completes command lines.
enum CompletionsCommand: Command {
  static let page = CommandPage(
    name: "completions", summary: "Print the completions for a shell.",
    usage: "syrinx completions bash|zsh|fish",
    options: "",
    details: """
      Completes commands, options, their values, files and OSC addresses. The package installs the
      scripts. Otherwise load them when the shell starts:

        bash, in ~/.bashrc:                   source <(syrinx completions bash)
        zsh, in ~/.zshrc after compinit:      source <(syrinx completions zsh)
        fish, in ~/.config/fish/config.fish:  syrinx completions fish | source

      Exit codes: 0; 64 for wrong usage.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    let pages = Syrinx.commands.map { $0.page }
    switch given.rest {
    case ["bash"]: try Failure.print(BashCompletions.script(pages))
    case ["zsh"]: try Failure.print(ZshCompletions.script(pages))
    case ["fish"]: try Failure.print(FishCompletions.script(pages))
    default:
      throw Failure(
        .usage,
        "`syrinx completions` takes bash, zsh or fish; got "
          + (given.rest.isEmpty ? "nothing" : given.rest.map(quoted).joined(separator: " ")))
    }
  }
}

/// Returns a text in single quotes, as bash and zsh read it.
func shellQuoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    + "'"
}
