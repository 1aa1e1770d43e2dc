internal import Control
internal import Doors
internal import Posix

/// The command `syrinx web`: shows how a phone reaches the page of a running node.
enum WebCommand: Command {
  static let page = CommandPage(
    name: "web", summary: "Show the code that opens a running node's page on a phone.",
    usage: "syrinx web [OPTIONS]",
    options: """
      -n, --name NAME: Name of the node (default: syrinx)
      --home DIR: Data directory of the node (default: $XDG_DATA_HOME/syrinx, else \
      ~/.local/share/syrinx)
      --renew: Create a new token first, which unpairs all devices
      --address: Print the address only
      """,
    details: """
      Prints the URL of a node on this machine, and its QR code for a phone's camera. If other
      machines can connect (`syrinx run --listen lan`), the part after # is a token: anyone with it
      can play.

      Examples:
        syrinx web
        syrinx web --renew            a phone was lost
        xdg-open "$(syrinx web --address)"

      Exit codes: 0; 64 for wrong usage; 69 if no node with a web page is running here; 73 if the
      token can't be written.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    try given.checkNoArguments()
    let name = given["name"] ?? "syrinx"
    guard let pairing = Pairing.read(name: name, home: try StoredFiles.home(given)) else {
      throw Failure(
        .unavailable,
        "no node named \(quoted(name)) with a web page is running here; `syrinx run` starts one")
    }
    if given.has("renew") {
      guard let path = pairing.tokenPath else {
        throw Failure(
          .usage, "this node has no token: --renew requires --listen lan")
      }
      try Failure.of(.cannotWrite, "can't write the token: ", try WebToken(at: path).renew())
    }
    let lines = given.has("address") ? [pairing.address] : pairing.lines
    try Failure.print(lines.joined(separator: "\n") + "\n")
  }
}
