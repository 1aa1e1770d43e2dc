internal import DSP
internal import Engine
internal import InstrumentFiles

/// Loads instruments: the playing one and the next one.
///
/// A later request cancels the previous one, whose sender receives an error.
final class InstrumentLoader {
  /// The default instrument.
  private static let initial = "piano"
  // Shorter loads report no progress, in microseconds.
  private static let quietTime = 200_000.0
  private static let busyMilliseconds = 2

  /// A requested instrument that is not playing yet.
  struct Order {
    let name: String
    /// The request; nil for the initial instrument.
    let request: Request?
    /// Whether the instrument is saved as the initial one.
    let isKept: Bool
    let ticket: InstrumentTicket
    let since: Double
  }

  /// The name of the playing instrument; empty before the first.
  var present: String { ready?.name ?? "" }
  /// The name of the initial instrument for the next start.
  private(set) var keptName = initial
  /// Warnings about the playing instrument, one per line.
  private(set) var notes: [String] = []
  /// The progress of loading the requested instrument, from 0 to 1.
  private(set) var progress: Float = 1
  private let context: Context
  private let shelf: InstrumentShelf
  private var wantsInitial = false
  // Whether the current instrument stays if another one fails to load.
  private var hasFallback = false
  private var say: ((String) -> Void)?
  private var asked: Order?
  private let handover = InstrumentHandover()
  // The playing instrument, or the next one, whose samples are still being read.
  private var unread: (order: Order, ready: InstrumentShelf.Ready)?
  // The instrument that was passed to the engine last.
  private var latest: InstrumentShelf.Ready?
  /// The playing instrument; nil before the first.
  private(set) var ready: InstrumentShelf.Ready?

  init(_ context: Context, _ shelf: InstrumentShelf) {
    self.context = context
    self.shelf = shelf
  }

  /// Whether an instrument is being loaded.
  var isUnderWay: Bool { wantsInitial || asked != nil }

  /// Whether the initial instrument is still being loaded.
  var isFirstUnderWay: Bool { present.isEmpty && (isUnderWay || latest != nil) }

  // MARK: - Notes

  /// Loads the initial instrument once the list is known, unless another one is requested first.
  ///
  /// Calls `say` with a line for each error from then on.
  func open(_ say: @escaping (String) -> Void) {
    self.say = say
    wantsInitial = asked == nil && present.isEmpty
  }

  /// Accepts a request, which cancels all others.
  func accept(_ name: String, for request: Request?, isKept: Bool) throws(Refusal) -> Order {
    try shelf.worker.checkRoom()
    cancelRequest()
    // The start of the node waits for the initial instrument.
    let ticket = request?.client == nil ? InstrumentTicket(patience: 0) : InstrumentTicket()
    let order = Order(
      name: name, request: request, isKept: isKept, ticket: ticket, since: context.now())
    asked = order
    return order
  }

  /// Loads an instrument by name.
  func load(_ order: Order) {
    load(order) { [name = order.name, ticket = order.ticket] shelf throws(Refusal) in
      try shelf.instrument(name, ticket: ticket)
    }
  }

  /// Loads an instrument with `work`, which returns nil if it was cancelled.
  func load(
    _ order: Order,
    by work: @escaping @Sendable (InstrumentShelf) throws(Refusal) -> InstrumentShelf.Ready?
  ) {
    let ticket = order.ticket
    shelf.worker.run { [shelf] () throws(Refusal) in
      ticket.isWithdrawn ? nil : try work(shelf)
    } then: { [unowned self] (outcome: Result<InstrumentShelf.Ready?, Refusal>) in
      guard !ticket.isWithdrawn else { return }
      switch outcome {
      case .success(let ready):
        if let ready { handOver(ready, order) }
      case .failure(let refusal): fail(order, refusal)
      }
    }
  }

  /// Cancels a request with an error.
  func fail(_ order: Order, _ refusal: Refusal) {
    guard !order.ticket.isWithdrawn else { return }
    order.ticket.withdraw()
    asked = nil
    // The default instrument replaces one that is gone or misspelled.
    if !hasFallback, order.name != Self.initial { wantsInitial = true }
    if let request = order.request, request.origin.client != nil {
      request.refuse(refusal)
    } else {
      say?("can't load the instrument \(quoted(order.name)): \(refusal.message)")
    }
  }

  /// Stops the current instrument from serving as a fallback.
  func forgetFallback() { hasFallback = false }

  private func cancelRequest(by what: String = "a later request") {
    wantsInitial = false
    guard let former = asked else { return }
    former.ticket.withdraw()
    asked = nil
    guard let request = former.request, request.client != nil else { return }
    request.refuse(Refusal(.state, "\(quoted(former.name)) was canceled by \(what)"))
  }

  // MARK: - Polling

  /// Requests the initial instrument when the list is known, and reports progress.
  ///
  /// Returns the delay until the next poll in milliseconds, or nil if nothing is loaded.
  func poll(_ now: Double, isOpening: Bool) -> Int? {
    if wantsInitial, !isOpening, !context.keeper.isOpening, asked == nil {
      wantsInitial = false
      if let order = try? accept(Self.initial, for: nil, isKept: false) { load(order) }
    }
    finishReading()
    tellProgress(now)
    return asked != nil || unread != nil ? Self.busyMilliseconds : nil
  }

  /// Reports warnings found while the rest of the samples was read.
  private func finishReading() {
    guard let rest = unread?.ready, rest.reading.isOver else { return }
    unread = nil
    guard present == rest.name, notes != rest.notes else { return }
    notes = rest.notes
    context.changed(Instruments.notes)
  }

  private func tellProgress(_ now: Double) {
    var progress: Float = 1
    let ticket = asked?.ticket ?? unread?.ready.ticket
    if let order = asked ?? unread?.order, let ticket, now - order.since > Self.quietTime {
      progress = Float(ticket.progress)
    }
    guard progress != self.progress else { return }
    self.progress = progress
    context.changed(Instruments.loading)
  }

  // MARK: - Changing

  /// A change to an instrument that was read ahead, to be queued with other commands.
  func change(to next: InstrumentShelf.Ready) -> SwitchPart {
    let order = Order(
      name: next.name, request: nil, isKept: true, ticket: next.ticket, since: context.now())
    let commands = handover.commands(playing: next.reading.instrument) { [weak self] in
      // A request made after the switch was sent is valid only until the switch.
      self?.cancelRequest(by: "a scene")
      self?.latest = next
      self?.report(next, order)
    }
    return SwitchPart(commands: commands) { [self] in
      cancelRequest()
      // The saved instrument is no longer wanted.
      context.keeper.overtakes(Instruments.present)
      goOnReading(next, order)
    }
  }

  /// The key of the playing instrument; nil while another is requested or on its way.
  var settled: String? { asked == nil && latest?.reading === ready?.reading ? ready?.key : nil }

  /// Whether an instrument is playing, or a command that was sent will start it.
  func uses(_ ready: InstrumentShelf.Ready) -> Bool {
    [self.ready, latest].contains { $0?.reading === ready.reading }
  }

  private func handOver(_ next: InstrumentShelf.Ready, _ order: Order) {
    let commands = handover.commands(playing: next.reading.instrument) { [weak self] in
      self?.report(next, order)
    }
    do throws(Refusal) {
      try context.submit(commands)
      asked = nil
      goOnReading(next, order)
    } catch {
      fail(order, error)
    }
  }

  private func goOnReading(_ next: InstrumentShelf.Ready, _ order: Order) {
    if let former = unread, former.ready.reading !== next.reading {
      former.ready.ticket.withdraw()
    }
    unread = (order, next)
    latest = next
  }

  private func report(_ next: InstrumentShelf.Ready, _ order: Order) {
    ready = next
    hasFallback = true
    notes = next.notes
    context.changed(Instruments.present, Instruments.notes)
    if order.isKept {
      keptName = next.name
      context.keeper.keep(Instruments.present, for: order.request)
    }
    order.request?.done([next.name] + next.notes)
  }
}
