internal import Control
internal import OSC
internal import Posix

/// The command `syrinx send`: sends messages to a node, and prints its replies.
enum SendCommand {
  static let page = CommandPage(
    name: "send", summary: "Send OSC messages to a node, and print the answers.",
    usage: "syrinx send [OPTIONS] /address [ARGUMENT]... | -",
    options: """
      \(NodePlace.option)
      --wait SECONDS: Print all that comes for so long; 0 sends and does not wait
      --json: Print each answer as a JSON object in a line: address and arguments
      """,
    details: """
      An argument that looks like a whole number is sent as i, one with a point as f, T and F as
      true and false, any other as s, and so is whatever the address takes for a name; i:, f: or
      s: in front says which it shall be. Without --wait the command ends when all is in effect in
      the audio, and what takes its time, like /preset/save, is done. Texts with blanks are
      printed in quotes.

      With - in place of an address it reads lines from standard input, and sends each as it comes,
      all over one connection. A line is an address with its arguments; texts with blanks stand in
      quotes, in which \\ takes a quote or itself as it is. What begins with # is left out.
      Lines between [ and ] go as one bundle: [ alone is at once, [+0.5 half a second after it was
      read, [@1790000000.25 at that time since 1970. Lines that come together count from one moment.

      Examples:
        syrinx send /live/gain -6          set a gain
        syrinx send /live/gain             ask for it
        syrinx send '/*/route' direct      all that match
        syrinx send --wait 5 /subscribe    watch for five seconds
        syrinx send - < changes.txt        what stands in a file
        printf '%s\\n' '[+1' '/echo/on 1' '/pitch/semitones 7' ']' | syrinx send -

      Ends with 0 when all was taken, else as the first error: 64 unknown, type, range, or a line
      that is none; 66 missing; 69 state, busy, or no answer at all; 73 io; 77 denied.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    guard let path = given.rest.first else {
      throw Failure(.usage, "what shall be sent? syrinx send /address [ARGUMENT]...")
    }
    guard path.hasPrefix("/") || path == "-" else {
      throw .usage("an address begins with /, and - is standard input", got: path)
    }
    let wait = try given.seconds("wait")
    let conversation = try Conversation(with: given.place)
    let isJSON = given.has("json")
    conversation.whenAnswered = { path, arguments in
      Environment.print(
        (isJSON ? AnswerText.json(path, arguments) : AnswerText.line(path, arguments)) + "\n")
    }
    if path == "-" {
      guard given.rest.count == 1 else {
        throw Failure(.usage, "nothing follows - ; got \(quoted(given.rest[1]))")
      }
      let script = SendScript(conversation)
      try script.run()
      try conversation.listen(seconds: wait)
      try script.check()
    } else {
      let address = AddressTable.widest[path]
      let arguments = given.rest.dropFirst().enumerated().map { index, text in
        SendLine.argument(text, isText: address?.isText(at: index) ?? false)
      }
      try conversation.send(path, arguments)
      try conversation.listen(seconds: wait)
    }
  }
}
