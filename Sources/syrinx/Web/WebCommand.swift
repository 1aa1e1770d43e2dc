internal import Control
internal import Doors
internal import Posix

/// The command `syrinx web`: shows how a phone reaches the page of a running node.
enum WebCommand {
  static let page = CommandPage(
    name: "web", summary: "Show the code that opens a running node's page on a phone.",
    usage: "syrinx web [OPTIONS]",
    options: """
      -n, --name NAME: Name of the node (default: syrinx)
      --home DIR: Its home folder, where it was given one (default: $XDG_DATA_HOME/syrinx, else \
      ~/.local/share/syrinx)
      --renew: Make another token first: whoever was paired must pair again
      --address: Print the address alone
      """,
    details: """
      Prints a code of squares for a phone's camera, and the address that it stands for, of a
      node that runs on this machine. Where other machines can reach it (`syrinx run --listen
      lan`), a token is behind the #: whoever has it can play.

      Examples:
        syrinx web
        syrinx web --renew            a phone was lost
        xdg-open "$(syrinx web --address)"

      Ends with 0; 64 wrong usage; 69 when no node with a page runs here; 73 when the token can't
      be written.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    try given.checkNoArguments()
    let name = given["name"] ?? "syrinx"
    guard let pairing = Pairing.read(name: name, home: try StoredFiles.home(given)) else {
      throw Failure(
        .unavailable,
        "no node called \(quoted(name)) with a page runs here; `syrinx run` starts one")
    }
    if given.has("renew") {
      guard let path = pairing.tokenPath else {
        throw Failure(
          .usage, "this node needs no token: --renew is for one that runs with --listen lan")
      }
      try Failure.of(.cannotWrite, "can't write the token: ", try WebToken(at: path).renew())
    }
    let lines = given.has("address") ? [pairing.address] : pairing.lines
    try Failure.print(lines.joined(separator: "\n") + "\n")
  }
}
