internal import Control
internal import OSC
internal import Posix

/// The command `syrinx send`: sends messages to a node, and prints its replies.
enum SendCommand: Command {
  static let page = CommandPage(
    name: "send", summary: "Send OSC messages to a node, and print the replies.",
    usage: "syrinx send [OPTIONS] /address [ARGUMENT]... | -",
    options: """
      \(NodeAudience.option)
      --wait SECONDS: Print all messages for this time; 0 doesn't wait for replies
      --json: Print each reply as a JSON object on one line, with address and arguments
      """,
    details: """
      Whole numbers are sent as i, numbers with a decimal point as f, T and F as true and false,
      and everything else as s, as are numbers where the address takes a name. The prefixes i:, f:
      and s: set the type. Without --wait the command exits when the message has taken effect in
      the audio, and commands that take time, such as /preset/save, are done. Strings with spaces
      are printed in quotes.

      With - instead of an address it reads lines from standard input, and sends each as it
      arrives, all over one connection. A line is an address with its arguments. Strings with
      spaces are quoted; within quotes \\ escapes a quote or itself. A line that starts with # is a
      comment. Lines between [ and ] are sent as one bundle: [ alone takes effect at once, [+0.5
      half a second after it was read, [@1790000000.25 at that time in seconds since 1970. Lines
      that are read together count from the same moment.

      With --to all, each message goes to all nodes that `syrinx rig` lists, and replies begin with
      the name of their node. A bundle with a time takes effect on all nodes at that time.

      Examples:
        syrinx send /live/gain -6          set a gain
        syrinx send /live/gain             query it
        syrinx send '/*/route' direct      set all that match
        syrinx send --wait 5 /subscribe    watch for five seconds
        syrinx send --to all /scene/next   send to all nodes of the network
        syrinx send - < changes.txt        send the lines of a file
        printf '%s\\n' '[+1' '/echo/on 1' '/pitch/semitones 7' ']' | syrinx send -

      Exit codes: 0 if everything was accepted, else that of the first error: 64 for unknown, type,
      range, or an invalid line; 66 for missing; 69 for state, busy, or no reply at all; 73 for io;
      77 for denied.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    guard let path = given.rest.first else {
      throw Failure(.usage, "missing message: syrinx send /address [ARGUMENT]...")
    }
    guard path.hasPrefix("/") || path == "-" else {
      throw .usage("an address starts with /, and - is standard input", got: path)
    }
    let wait = try given.seconds("wait")
    let isJSON = given.has("json")
    let audience = try Audience(given.audience) { node, path, arguments in
      let text =
        isJSON
        ? AnswerText.json(path, arguments, of: node)
        : (node.map { "\($0): " } ?? "") + AnswerText.line(path, arguments)
      Environment.print(text + "\n")
    }
    if path == "-" {
      guard given.rest.count == 1 else {
        throw Failure(.usage, "unexpected argument after -: \(quoted(given.rest[1]))")
      }
      let script = SendScript(audience)
      try script.run()
      try audience.listen(seconds: wait)
      try script.check()
    } else {
      let address = AddressTable.widest[path]
      let arguments = given.rest.dropFirst().enumerated().map { index, text in
        SendLine.argument(text, isText: address?.isText(at: index) ?? false)
      }
      try audience.send(path, arguments)
      try audience.listen(seconds: wait)
    }
  }
}
