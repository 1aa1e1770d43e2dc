internal import OSC

/// The node's voice: answers to clients, news for subscribers, and the counts of both.
final class Answerer {
  // What one packet is answered: it can ask for more than anybody could read.
  static let mostAnswers = 1024

  let feedback: Feedback
  /// The counts for `/status`.
  var counters = Counters()
  private let table: AddressTable
  private var doors: [Door] = []
  private var answersLeft = mostAnswers
  // The same in bytes: some answers are as long as a datagram can be.
  private static let mostAnswerBytes = 1 << 20
  private var answerBytesLeft = mostAnswerBytes
  // The addresses whose values this packet's subscriptions were sent, by their places.
  private var shown: Set<Int> = []

  private struct Door {
    weak var outlet: (any Outlet)?
  }

  init(_ table: AddressTable) {
    self.table = table
    feedback = Feedback(table)
    feedback.answerer = self
  }

  /// Adds a way out, and returns the number by which clients name it.
  func open(_ outlet: any Outlet) -> Int {
    doors.append(Door(outlet: outlet))
    return doors.count - 1
  }

  // MARK: - Answers

  /// Lets as much be answered from here on as one packet may be.
  func beginPacket() {
    answersLeft = Self.mostAnswers
    answerBytesLeft = Self.mostAnswerBytes
    shown.removeAll(keepingCapacity: true)
  }

  /// Answers a client, or nobody where the node asked itself.
  func reply(_ path: String, _ arguments: @autoclosure () -> [Argument], to client: Client?) {
    guard let client, mayAnswer(client) else { return }
    answer([UInt8](address: path, arguments()), to: client)
  }

  /// Tells a client why something was not followed.
  func refuse(_ refusal: Refusal, to origin: Origin) {
    counters.errors += 1
    guard let client = origin.client, mayAnswer(client) else { return }
    answer(refusal.answer(to: origin.path), to: client)
  }

  /// Tells a client that a packet was no OSC.
  func refuseMalformed(_ refusal: Refusal, from client: Client) {
    counters.malformed += 1
    if mayAnswer(client) { answer(refusal.answer(to: ""), to: client) }
  }

  /// Whether there are answers left for this packet.
  var hasAnswersLeft: Bool { answersLeft > 0 }

  /// Whether this packet is still answered; says so once where it is not.
  private func mayAnswer(_ client: Client) -> Bool {
    guard answersLeft > 0 else { return false }
    answersLeft -= 1
    if answersLeft == 0 || answerBytesLeft <= 0 {
      answersLeft = 0
      counters.refused += 1
      let refusal = Refusal(
        .busy, "that asks for more than can be answered at once; the rest is left out")
      answer(refusal.answer(to: ""), to: client)
    }
    return answersLeft > 0
  }

  private func answer(_ packet: [UInt8], to client: Client) {
    for target in feedback.targets(for: client) { show(packet, at: target) }
  }

  /// Sends a place what a packet is answered with.
  func show(_ packet: [UInt8], at target: Client) {
    answerBytesLeft -= packet.count
    send(packet, to: target)
  }

  // MARK: - To new subscribers

  /// Whether a packet's subscriptions are still sent the value of the address at a place: once, and
  /// as an answer.
  func mayShow(_ index: Int, to client: Client) -> Bool {
    !shown.contains(index) && mayAnswer(client) && shown.insert(index).inserted
  }

  /// Sends a new subscriber the values of an address, where this packet is still answered.
  func show(_ path: String, _ values: [Argument], to client: Client, at target: Client) {
    if mayAnswer(client) { show([UInt8](address: path, values), at: target) }
  }

  // MARK: - News

  /// Tells of what went wrong by itself: a client, and all who subscribe to errors or to the address.
  func report(_ refusal: Refusal, of path: String, to client: Client?) {
    counters.errors += 1
    var targets = Set(client.map(feedback.targets(for:)) ?? [])
    targets.formUnion(feedback.targets(wanting: [Event.error.path, path]))
    for target in targets { send(refusal.answer(to: path), to: target) }
  }

  /// Tells all who want an event of it.
  func announce(_ event: Event, _ values: [Argument]) { announce(event.path, values) }

  /// Tells all who want an address something that happens once.
  func announce(_ path: String, _ values: [Argument]) {
    guard feedback.subscriptions.count > 0, let index = table.index(of: path) else { return }
    let packet = [UInt8](address: path, values)
    feedback.subscriptions.forEach(wanting: index) { send(packet, to: $0) }
  }

  /// Sends a packet to one place.
  func send(_ packet: [UInt8], to target: Client) {
    guard doors.indices.contains(target.door) else { return }
    doors[target.door].outlet?.send(packet, to: target)
  }
}
