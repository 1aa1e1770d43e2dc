internal import Control
internal import Doors
internal import Posix

/// The command `syrinx web`: shows how a phone reaches the page of a running node.
enum WebCommand {
  static let page = CommandPage(
    name: "web", summary: "Show the code that opens a running node's page on a phone.",
    usage: "syrinx web [OPTIONS]",
    options: [
      .init("name", short: "n", value: "NAME", "Name of the node (default: syrinx)"),
      .init(
        "home", value: "DIR",
        "Its home folder, where it was given one (default: $XDG_DATA_HOME/syrinx, else "
          + "~/.local/share/syrinx)"),
      .init("renew", "Make another token first: whoever was paired must pair again"),
      .init("address", "Print the address alone"),
    ],
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
    guard given.rest.isEmpty else {
      throw Failure(.usage, "`syrinx web` takes options only; got \(quoted(given.rest[0]))")
    }
    let name = given["name"] ?? "syrinx"
    guard let pairing = PairingFile.read(name: name, home: try StoredFiles.home(given)) else {
      throw Failure(
        .unavailable,
        "no node called \(quoted(name)) with a page runs here; `syrinx run` starts one")
    }
    if given.has("renew") {
      guard let path = pairing.tokenPath else {
        throw Failure(
          .usage, "this node needs no token: --renew is for one that runs with --listen lan")
      }
      do throws(SystemError) {
        try WebToken(at: path).renew()
      } catch {
        throw Failure(.cannotWrite, "can't write the token: \(error)")
      }
    }
    let lines = given.has("address") ? [pairing.address] : pairing.lines
    try Failure.print(lines.joined(separator: "\n") + "\n")
  }
}
