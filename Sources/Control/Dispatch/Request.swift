internal import Engine
internal import OSC

/// The origin of a message.
struct Origin {
  /// The address, as replies name it.
  let path: String
  /// The sender; nil for the node itself.
  let client: Client?
  /// Whether a pattern matched the address, which may have matched others.
  var isOfPattern = false
  /// Whether the client is told of refusals alone: it sent another message, of which this one is a part.
  var tellsOnlyRefusals = false

  /// The node itself, without replies.
  static let node = Origin(path: "", client: nil)
}

/// A message checked against its declaration, with methods to reply.
struct Request {
  /// The sender and the address.
  private(set) var origin: Origin
  /// The arguments in the order of the forms; nil for omitted ones.
  let arguments: [Argument?]
  /// The time of its effect, in microseconds of the host's steady clock; nil for immediately.
  let due: Double?
  /// The numbers in the path, for an address with parts in braces.
  let numbers: [Int]
  /// Whether the request restores persisted state, which must not be written again.
  let isRestoring: Bool
  /// The output for replies, owned by the node, which outlives all requests.
  unowned let replySender: ReplySender

  /// The address, as replies name it.
  var path: String { origin.path }
  /// The receiver of replies; nil for the node itself.
  var client: Client? { origin.tellsOnlyRefusals ? nil : origin.client }

  /// The same request, with replies under another address.
  func under(_ path: String) -> Request {
    var request = self
    request.origin = Origin(path: path, client: client)
    return request
  }

  // MARK: - Arguments

  /// The whole number at an index.
  func whole(_ index: Int) -> Int? {
    if case .int32(let value)? = arguments[index] { Int(value) } else { nil }
  }

  /// The number at an index.
  func number(_ index: Int) -> Double? { arguments[index]?.number }

  /// The text at an index.
  func text(_ index: Int) -> String? { arguments[index]?.text }

  // MARK: - Replies

  /// Replies on the request's own address.
  func answer(_ values: @autoclosure () -> [Argument]) {
    replySender.reply(path, values(), to: client)
  }

  /// Replies with an event.
  func answer(_ event: Event, _ values: @autoclosure () -> [Argument]) {
    replySender.reply(event.path, values(), to: client)
  }

  /// Replies with the values of another address.
  func answer(on path: String, _ values: [Argument]) { replySender.reply(path, values, to: client) }

  /// Replies with an event for each item, then with their number.
  func answer<Item>(
    _ items: some Collection<Item>, _ event: Event, end: Event, row: (Item) -> [Argument]
  ) {
    for item in items { answer(event, row(item)) }
    answer(end, [.int32(Int32(items.count))])
  }

  /// Reports completion with the words of the result.
  func done(_ words: String...) { done(words) }

  /// Reports completion with the words of the result.
  func done(_ words: [String]) { answer(.reply, ([path] + words).map(Argument.string)) }

  /// Reports a refusal.
  func refuse(_ refusal: Refusal) { replySender.refuse(refusal, to: origin) }

  /// Reports completion or failure.
  func complete(_ outcome: Result<some Any, Refusal>, _ words: String...) {
    switch outcome {
    case .success: done(words)
    case .failure(let refusal): refuse(refusal)
    }
  }

  /// Passes the value of an outcome to `body`, or reports the refusal of either.
  func complete<Value>(
    _ outcome: Result<Value, Refusal>, _ body: (Value) throws(Refusal) -> Void
  ) {
    attempt { () throws(Refusal) in try body(try outcome.get()) }
  }

  /// Sends the value to the client that set it, unless it was sent the same value last.
  func echo(_ values: [Argument]) {
    guard let client else { return }
    replySender.notifier.echo(path, values, to: client)
  }

  /// Runs `body`, and reports the refusal that it throws.
  func attempt(_ body: () throws(Refusal) -> Void) {
    do throws(Refusal) {
      try body()
    } catch {
      refuse(error)
    }
  }
}
