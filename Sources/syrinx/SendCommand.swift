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
      true and false, any other as s; i:, f: or s: in front says which it shall be. Without
      --wait the command ends when all is in effect in the audio, and what takes its time, like
      /preset/save, is done.

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
    let conversation = try Conversation(with: given["to"] ?? "127.0.0.1:8000")
    try conversation.send(path, given.rest.dropFirst().map(word))
    try conversation.listen(seconds: wait)
  }

  private static func word(_ text: String) -> Argument {
    if text.hasPrefix("s:") { return .string(String(text.dropFirst(2))) }
    if text.hasPrefix("i:"), let value = Int32(text.dropFirst(2)) { return .int32(value) }
    if text.hasPrefix("f:"), let value = Float(text.dropFirst(2)) { return .float(value) }
    if text == "T" || text == "F" { return .bool(text == "T") }
    if let value = Int32(text) { return .int32(value) }
    // Words like "nan" and "infinity" are words.
    if let value = Float(text), text.contains(where: \.isNumber) { return .float(value) }
    return .string(text)
  }

  /// A message and its answers.
  private final class Conversation {
    // The token of the /sync that follows the message: all answers come before its own.
    private static let token: Int32 = 0x5E4D
    private static let patience = 1.0
    // A slow disk is not a failure.
    private static let patienceWithErrands = 30.0

    private let place: String
    private let peer: LibloPeer
    // What takes its time, until its end is told; and by which address that is.
    private var errand: String?
    private var end: String?
    private var isSynced = false
    private var answers = 0
    private var failure: Failure?

    init(with place: String) throws(Failure) {
      self.place = place
      guard let colon = place.lastIndex(of: ":"),
        let port = UInt16(place[place.index(after: colon)...]), port > 0,
        let peer = LibloPeer(
          host: place[..<colon].filter { !"[]".contains($0) }, port: "\(port)")
      else { throw Failure(.usage, "--to takes HOST:PORT; got \(quoted(place))") }
      self.peer = peer
      peer.whenReceived = { [unowned self] in take($0, $1) }
    }

    func send(_ path: String, _ words: [Argument]) throws(Failure) {
      guard peer.send(path, words) else {
        throw Failure(.unavailable, "can't send to \(place): \(peer.fault)")
      }
      end = AddressTable.node[path]?.end
      errand = end == nil ? nil : path
    }

    func listen(seconds: Double?) throws(Failure) {
      if seconds == 0 { return }
      peer.send("/sync", .int32(Self.token))
      let start = HostTime.steady
      while seconds != nil || !isSynced || errand != nil {
        let patience = seconds ?? (isSynced ? Self.patienceWithErrands : Self.patience)
        let left = start + patience * 1e6 - HostTime.steady
        if left <= 0 { break }
        _ = peer.receive(milliseconds: Int(max(0, min(50, left / 1e3))))
      }
      if let failure { throw failure }
      if answers == 0 && !isSynced {
        throw Failure(.unavailable, "no answer from \(place); is the node running there?")
      }
      if seconds == nil, let errand {
        throw Failure(
          .unavailable, "\(errand) is not done after \(plain(Self.patienceWithErrands)) s")
      }
    }

    private func take(_ path: String, _ arguments: [Argument]) {
      if path == "/synced", arguments == [.int32(Self.token)] {
        isSynced = true
        return
      }
      answers += 1
      let words = arguments.map(Self.text)
      if let errand, let end, path == end || path == "/error",
        path == end && end != "/reply" || arguments.first == .string(errand)
      {
        self.errand = nil
      }
      if path == "/error" {
        let code = words.count == 3 ? Self.code(words[1]) : .unavailable
        failure = failure ?? Failure(code, words.dropFirst().joined(separator: ": "))
        return
      }
      Environment.print(([path] + words).joined(separator: " ") + "\n")
    }

    private static func text(_ argument: Argument) -> String {
      switch argument {
      // What would move the cursor or colour the terminal is no answer.
      case .string(let text), .symbol(let text):
        text.filter { !($0.unicodeScalars.first?.value ?? 0 < 32) }
      case .bool(let value): value ? "T" : "F"
      case .timeTag(let time): "\(time.unixMicroseconds / 1e6)"
      case .nil: "N"
      default: argument.number.map(plain) ?? "(\(argument.tag))"
      }
    }

    private static func code(_ word: String) -> ExitCode {
      switch word {
      case "unknown", "type", "range": .usage
      case "missing": .missingInput
      case "io": .cannotWrite
      case "denied": .notPermitted
      default: .unavailable
      }
    }
  }
}
