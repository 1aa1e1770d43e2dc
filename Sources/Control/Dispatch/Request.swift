internal import Engine
internal import OSC

/// The sender of an instruction, and the address by which it came.
struct Origin {
  /// The address, as answers name it.
  let path: String
  /// The sender; nil for the node itself.
  let client: Client?

  /// The node itself, where nobody waits for an answer.
  static let node = Origin(path: "", client: nil)
}

/// An instruction that has been checked against its declaration, and the way to answer it.
struct Request {
  /// The sender and the address.
  let origin: Origin
  /// Its arguments in the order of the forms; nil for one that was left out.
  let arguments: [Argument?]
  /// The time at which it shall be in effect, in microseconds of the host's steady clock; nil for at
  /// once.
  let due: Double?
  /// The numbers in its path, where the address stands for many.
  let numbers: [Int]
  /// Whether it only brings back what was kept, which need not be kept again.
  let isRestoring: Bool
  // Both belong to the node, and the answers to nobody else.
  private unowned let answerer: Answerer

  init(
    _ origin: Origin, _ arguments: [Argument?], due: Double? = nil, numbers: [Int] = [],
    isRestoring: Bool = false, answerer: Answerer
  ) {
    self.origin = origin
    self.arguments = arguments
    self.due = due
    self.numbers = numbers
    self.isRestoring = isRestoring
    self.answerer = answerer
  }

  /// The address, as answers name it.
  var path: String { origin.path }
  /// The sender; nil for the node itself.
  var client: Client? { origin.client }

  /// The same request, answered as if it had come by another address.
  func under(_ path: String) -> Request {
    Request(
      Origin(path: path, client: client), arguments, due: due, numbers: numbers,
      isRestoring: isRestoring, answerer: answerer)
  }

  // MARK: - Arguments

  /// The whole number at a place.
  func whole(_ index: Int) -> Int? {
    if case .int32(let value)? = arguments[index] { Int(value) } else { nil }
  }

  /// The number at a place.
  func number(_ index: Int) -> Double? { arguments[index]?.number }

  /// The text at a place.
  func text(_ index: Int) -> String? { arguments[index]?.text }

  // MARK: - Answers

  /// Answers on the request's own address.
  func answer(_ values: @autoclosure () -> [Argument]) {
    answerer.reply(path, values(), to: client)
  }

  /// Answers with an event.
  func answer(_ event: Event, _ values: @autoclosure () -> [Argument]) {
    answerer.reply(event.path, values(), to: client)
  }

  /// Answers with the values of another address.
  func answer(on path: String, _ values: [Argument]) { answerer.reply(path, values, to: client) }

  /// Tells that it is done, with some words on what came of it.
  func done(_ words: String...) { done(words) }

  /// Tells that it is done, with some words on what came of it.
  func done(_ words: [String]) { answer(.reply, ([path] + words).map(Argument.string)) }

  /// Tells why it was not followed.
  func refuse(_ refusal: Refusal) { answerer.refuse(refusal, to: origin) }

  /// Tells that it is done, or why it is not.
  func tell(_ outcome: Result<some Any, Refusal>, _ words: String...) {
    switch outcome {
    case .success: done(words)
    case .failure(let refusal): refuse(refusal)
    }
  }

  /// Lets the sender be told what the address is set to, unless it was told just these values last.
  func echo(_ values: [Argument]) {
    guard let client else { return }
    answerer.feedback.heard(path, values, from: client)
  }

  /// Carries something out, and refuses where that fails.
  func attempt(_ body: () throws(Refusal) -> Void) {
    do throws(Refusal) {
      try body()
    } catch {
      refuse(error)
    }
  }
}
