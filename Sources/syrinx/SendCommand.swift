internal import CLiblo
internal import Control
internal import Glibc
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
      --wait the command ends when all is in effect in the audio.

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

  private enum Word {
    case whole(Int32), number(Float), text(String), truth(Bool)
  }

  private static func word(_ text: String) -> Word {
    if text.hasPrefix("s:") { return .text(String(text.dropFirst(2))) }
    if text.hasPrefix("i:"), let value = Int32(text.dropFirst(2)) { return .whole(value) }
    if text.hasPrefix("f:"), let value = Float(text.dropFirst(2)) { return .number(value) }
    if text == "T" || text == "F" { return .truth(text == "T") }
    if let value = Int32(text) { return .whole(value) }
    if let value = Float(text), text.first != "n", text.first != "i" { return .number(value) }
    return .text(text)
  }

  /// A message and its answers.
  private final class Conversation {
    // The token of the /sync that follows the message: all answers come before its own.
    private static let token: Int32 = 0x5E4D
    private static let patience = 1.0

    private let place: String
    private let target: lo_address
    private let server: lo_server
    private var isSynced = false
    private var answers = 0
    private var failure: Failure?

    init(with place: String) throws(Failure) {
      self.place = place
      guard let colon = place.lastIndex(of: ":"),
        UInt16(place[place.index(after: colon)...]) ?? 0 > 0,
        let target = lo_address_new_with_proto(
          LO_UDP, String(place[..<colon]), String(place[place.index(after: colon)...]))
      else { throw Failure(.usage, "--to takes HOST:PORT; got \(quoted(place))") }
      guard let server = lo_server_new_with_proto(nil, LO_UDP, nil) else {
        throw Failure(.fault, "no free port for the answers")
      }
      self.target = target
      self.server = server
      lo_server_add_method(
        server, nil, nil,
        { path, types, arguments, count, _, context in
          Unmanaged<Conversation>.fromOpaque(context!).takeUnretainedValue().take(
            String(cString: path!), String(cString: types!), arguments)
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
      lo_server_free(server)
      lo_address_free(target)
    }

    func send(_ path: String, _ words: [Word]) throws(Failure) {
      let message = lo_message_new()
      defer { lo_message_free(message) }
      for word in words {
        switch word {
        case .whole(let value): lo_message_add_int32(message, value)
        case .number(let value): lo_message_add_float(message, value)
        case .text(let value): lo_message_add_string(message, value)
        case .truth(let value):
          _ = value ? lo_message_add_true(message) : lo_message_add_false(message)
        }
      }
      guard lo_send_message_from(target, server, path, message) >= 0 else {
        throw Failure(
          .unavailable, "can't send to \(place): \(String(cString: lo_address_errstr(target)))")
      }
    }

    func listen(seconds: Double?) throws(Failure) {
      if seconds == 0 { return }
      let sync = lo_message_new()
      lo_message_add_int32(sync, Self.token)
      lo_send_message_from(target, server, "/sync", sync)
      lo_message_free(sync)
      let end = HostTime.steady + (seconds ?? Self.patience) * 1e6
      while HostTime.steady < end, seconds != nil || !isSynced {
        lo_server_recv_noblock(server, Int32(max(0, min(50, (end - HostTime.steady) / 1e3))))
      }
      if let failure { throw failure }
      if answers == 0 && !isSynced {
        throw Failure(.unavailable, "no answer from \(place); is the node running there?")
      }
    }

    private func take(
      _ path: String, _ types: String,
      _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<lo_arg>?>?
    ) {
      let values = types.enumerated().map { index, type in
        Self.text(type, arguments?[index])
      }
      if path == "/synced", values == ["\(Self.token)"] {
        isSynced = true
        return
      }
      answers += 1
      if path == "/error", values.count == 3 {
        failure = failure ?? Failure(Self.code(values[1]), "\(values[1]): \(values[2])")
        return
      }
      Environment.print(([path] + values).joined(separator: " ") + "\n")
    }

    private static func text(_ type: Character, _ argument: UnsafeMutablePointer<lo_arg>?) -> String
    {
      guard let argument else { return "" }
      switch type {
      case "i": return "\(argument.pointee.i)"
      case "h": return "\(argument.pointee.h)"
      case "f": return plain(Double(argument.pointee.f))
      case "d": return plain(argument.pointee.d)
      case "s", "S":
        let start = UnsafeRawPointer(argument).assumingMemoryBound(to: CChar.self)
        return String(cString: start)
      case "t": return "\(argument.pointee.t.sec).\(argument.pointee.t.frac)"
      default: return String(type)
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
