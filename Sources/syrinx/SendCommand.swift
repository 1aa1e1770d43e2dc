internal import Control
internal import OSC
internal import Posix

/// `syrinx send`: one message, and what comes back.
///
/// It speaks through liblo, as other programs do.
enum SendCommand {
  static let page = CommandPage(
    name: "send", summary: "Send one OSC message to a node, and print the answers.",
    usage: "syrinx send [OPTIONS] /address [ARGUMENT]...",
    options: [
      .init(
        "to", value: "HOST:PORT", "Where the node listens (default: 127.0.0.1:8000)"),
      .init(
        "wait", value: "SECONDS",
        "Print all that comes for so long; 0 sends and does not wait"),
    ],
    details: """
      An argument that looks like a whole number is sent as i, one with a point as f, T and F as
      true and false, any other as s, and so is whatever the address takes for a name; i:, f: or
      s: in front says which it shall be. Without --wait the command ends when all is in effect in
      the audio, and what takes its time, like /preset/save, is done.

      Examples:
        syrinx send /live/gain -6          set a gain
        syrinx send /live/gain             ask for it
        syrinx send '/*/route' direct      all that match
        syrinx send --wait 5 /subscribe    watch for five seconds

      Ends with 0 when the message was taken, else as its error: 64 unknown, type, range;
      66 missing; 69 state, busy, or no answer at all; 73 io; 77 denied.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    guard let path = given.rest.first else {
      throw Failure(.usage, "what shall be sent? syrinx send /address [ARGUMENT]...")
    }
    guard path.hasPrefix("/") else {
      throw Failure(.usage, "an address begins with /; got \(quoted(path))")
    }
    let wait = try given["wait"].map { text throws(Failure) -> Double in
      guard let seconds = Double(text), seconds >= 0, seconds.isFinite else {
        throw Failure(.usage, "--wait takes seconds, 0 or more; got \(quoted(text))")
      }
      return seconds
    }
    let conversation = try Conversation(with: given["to"] ?? Conversation.usualPlace)
    conversation.whenAnswered = { Environment.print($0 + "\n") }
    let address = AddressTable.node[path]
    let words = given.rest.dropFirst().enumerated().map { index, text in
      word(text, isText: address?.isText(at: index) ?? false)
    }
    try conversation.send(path, words)
    try conversation.listen(seconds: wait)
  }

  private static func word(_ text: String, isText: Bool) -> Argument {
    if text.hasPrefix("s:") { return .string(String(text.dropFirst(2))) }
    if text.hasPrefix("i:"), let value = Int32(text.dropFirst(2)) { return .int32(value) }
    if text.hasPrefix("f:"), let value = Float(text.dropFirst(2)) { return .float(value) }
    if isText { return .string(text) }
    if text == "T" || text == "F" { return .bool(text == "T") }
    if let value = Int32(text) { return .int32(value) }
    // Words like "nan" and "infinity" are words.
    if let value = Float(text), text.contains(where: \.isNumber) { return .float(value) }
    return .string(text)
  }
}
