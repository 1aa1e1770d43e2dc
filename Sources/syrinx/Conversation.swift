internal import Control
internal import OSC
internal import Posix

/// A message to a node, and its answers.
final class Conversation {
  /// Where a node listens that was told nothing else.
  static let usualPlace = "127.0.0.1:8000"

  // The token of the /sync that follows the message: all answers come before its own.
  private static let token: Int32 = 0x5E4D
  private static let patience = 1.0
  // A slow disk is not a failure.
  private static let patienceWithErrands = 30.0

  /// What is done with each answer, in words.
  var whenAnswered: (String) -> Void = { _ in }

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
    peer = try LibloPeer.node(at: place)
    peer.whenReceived = { [unowned self] in take($0, $1) }
  }

  /// Sends the message; one that takes its time is done when the node says so.
  func send(_ path: String, _ words: [Argument]) throws(Failure) {
    guard peer.send(path, words) else {
      throw Failure(.unavailable, "can't send to \(place): \(peer.fault)")
    }
    end = AddressTable.node[path]?.end
    errand = end == nil ? nil : path
  }

  /// Listens for so long, or until all is done; throws what the node could not do.
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
      throw Failure(
        .unavailable, "no answer from \(place); is a node running there? `syrinx run` starts one")
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
    if let errand, let end {
      // A question is answered on its own address.
      let isAnswer = path == errand || path == end && end != "/reply"
      let isItsEnd = path == "/reply" || path == "/error"
      if isAnswer || isItsEnd && arguments.first == .string(errand) { self.errand = nil }
    }
    if path == "/error" {
      let code = words.count == 3 ? Self.code(words[1]) : .unavailable
      failure = failure ?? Failure(code, words.dropFirst().joined(separator: ": "))
      return
    }
    whenAnswered(([path] + words).joined(separator: " "))
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
