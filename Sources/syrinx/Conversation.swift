internal import Control
internal import OSC
internal import Posix

/// A conversation with a node: sends messages and receives replies.
final class Conversation {
  /// A long-running command, and the message that reports its completion.
  private struct Errand {
    let path: String
    let end: String

    /// Whether a reply completes the command.
    func isEnded(by path: String, _ arguments: [Argument]) -> Bool {
      // A query is answered on its own address.
      if path == self.path || path == end && end != "/reply" { return true }
      return (path == "/reply" || path == "/error") && arguments.first == .string(self.path)
    }
  }

  // The first token of the /sync that follows messages: all replies come before its own.
  private static let firstToken: Int32 = 0x5E4D
  // A missing node on this machine is reported at once, and a busy one may take more than a second.
  private static let patience = 3.0
  // A slow disk is not a failure.
  private static let patienceWithDisks = 30.0
  // In milliseconds; the caller asks again.
  private static let longestTurn = 60_000.0
  private static let mostReadsAtOnce = 16

  /// Called for each reply.
  var whenAnswered: (_ path: String, _ arguments: [Argument]) -> Void = { _, _ in }
  /// Called for each error reply; if nil, `listen` throws the first one.
  var whenRefused: ((Failure) -> Void)?

  private let place: NodePlace
  private let peer: OSCPeer
  private var errands: [Errand] = []
  private var token = firstToken
  private var isSynced = false
  private var answers = 0
  private var failure: Failure?
  private var listeningSince = 0.0

  init(with place: NodePlace) throws(Failure) {
    self.place = place
    peer = try place.peer()
    peer.whenReceived = { [unowned self] in take($0, $1) }
  }

  /// Sends a message.
  ///
  /// A long-running command completes when the node reports it.
  func send(_ path: String, _ arguments: [Argument]) throws(Failure) {
    try check(peer.send(path, arguments))
    note(path)
  }

  /// Sends messages in one bundle, due at a time.
  func send(_ messages: [(path: String, arguments: [Argument])], at time: TimeTag) throws(Failure) {
    try check(peer.send(messages, at: time))
    for message in messages { note(message.path) }
  }

  private func check(_ hasGone: Bool) throws(Failure) {
    guard !hasGone else { return }
    throw Failure(.unavailable, "can't send to \(place.text): \(peer.fault)")
  }

  private func note(_ path: String) {
    if let end = AddressTable.widest[path]?.end { errands.append(Errand(path: path, end: end)) }
  }

  /// Receives the available replies; waits up to `milliseconds` for the first.
  func hear(milliseconds: Int = 0) {
    var patience = milliseconds
    // A program that never stops sending must not keep the caller from its deadline.
    for _ in 0..<Self.mostReadsAtOnce where peer.receive(milliseconds: patience) { patience = 0 }
  }

  /// Begins to wait until the node has processed everything sent, except long-running commands.
  func beginSettling() throws(Failure) {
    try check(sync())
  }

  /// The time left for the confirmation, in milliseconds; nil if it is over, or the node has confirmed.
  var millisecondsToSettle: Int? { isSynced ? nil : millisecondsLeft(of: Self.patience) }

  /// Throws if the node has not processed everything in time.
  func endSettling() throws(Failure) {
    guard isSynced else { throw NodePlace.noAnswer(from: place.text) }
  }

  @discardableResult
  private func sync() -> Bool {
    token &+= 1
    isSynced = false
    listeningSince = HostTime.steady
    return peer.send("/sync", .int32(token))
  }

  /// Listens for this long, or until everything has completed.
  ///
  /// Throws the node's errors.
  func listen(seconds: Double?) throws(Failure) {
    if seconds == 0 { return }
    beginListening()
    while let left = millisecondsLeft(of: seconds) { hear(milliseconds: min(50, left)) }
    try endListening(seconds: seconds)
  }

  /// Requests a confirmation that the node has processed everything sent.
  func beginListening() { sync() }

  /// Returns the time left to listen in milliseconds; nil if it is over, or if no time is given and
  /// everything has completed.
  func millisecondsLeft(of seconds: Double?) -> Int? {
    if seconds == nil, isSynced, errands.isEmpty { return nil }
    let patience = seconds ?? (isSynced ? Self.patienceWithDisks : Self.patience)
    let left = listeningSince + patience * 1e6 - HostTime.steady
    return left > 0 ? Int(min(left / 1e3, Self.longestTurn)) : nil
  }

  /// Throws the node's first error, or an error if it doesn't reply or a command hasn't completed.
  func endListening(seconds: Double?) throws(Failure) {
    if let failure { throw failure }
    if answers == 0 && !isSynced { throw NodePlace.noAnswer(from: place.text) }
    if seconds == nil, let errand = errands.first {
      throw Failure(
        .unavailable, "\(errand.path) is not done after \(plain(Self.patienceWithDisks)) s")
    }
  }

  private func take(_ path: String, _ arguments: [Argument]) {
    if path == "/synced", let number = arguments.first?.number,
      (Double(Self.firstToken)...Double(token)).contains(number)
    {
      // The reply to an earlier one may come late.
      isSynced = isSynced || arguments == [.int32(token)]
      return
    }
    answers += 1
    if let index = errands.firstIndex(where: { $0.isEnded(by: path, arguments) }) {
      errands.remove(at: index)
    }
    guard path == "/error" else {
      whenAnswered(path, arguments)
      return
    }
    let words = arguments.map(AnswerText.plainWord)
    let code = words.count == 3 ? Self.code(words[1]) : .unavailable
    let refusal = Failure(code, words.dropFirst().joined(separator: ": "))
    if let whenRefused { whenRefused(refusal) } else { failure = failure ?? refusal }
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
