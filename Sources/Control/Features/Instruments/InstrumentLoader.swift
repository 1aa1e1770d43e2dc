internal import DSP
internal import Engine
internal import InstrumentFiles

/// The loader of the instrument: of the one that sounds, and the one that is on its way.
///
/// What was asked for last wins: whoever asked for another one before is told that it does not come.
final class InstrumentLoader {
  /// The name of the instrument to begin with.
  private static let initial = "piano"
  // What takes less is not told of while it goes on, in microseconds.
  private static let quietTime = 200_000.0

  /// An instrument that was asked for, and does not sound yet.
  struct Order {
    let name: String
    /// The request for it; nil for the one to begin with.
    let request: Request?
    /// Whether it is the one to begin with at the next start.
    let isKept: Bool
    let ticket: InstrumentTicket
    let since: Double
  }

  /// The name of the one that sounds; empty before the first.
  private(set) var present = ""
  /// The name of the one to begin with at the next start.
  private(set) var keptName = initial
  /// Faults of the one that sounds, a line each.
  private(set) var notes: [String] = []
  /// How much of the one that was asked for last is there, from 0 to 1.
  private(set) var progress: Float = 1
  private let context: Context
  private let worker: InstrumentWorker
  private var wantsInitial = false
  // Whether the present one may go on where another one can't be had.
  private var hasFallback = false
  private var say: ((String) -> Void)?
  private var asked: Order?
  // What the engine plays.
  private var playing: SamplerInstrument?
  // The instrument whose sounds are still being read while it plays.
  private var unread: (order: Order, rest: InstrumentShelf.Ready)?

  init(_ context: Context, _ worker: InstrumentWorker) {
    self.context = context
    self.worker = worker
  }

  /// Whether an instrument is on its way, the first or another.
  var isUnderWay: Bool { wantsInitial || asked != nil }

  /// Whether the first instrument is still on its way.
  var isFirstUnderWay: Bool { present.isEmpty && isUnderWay }

  // MARK: - What is to sound

  /// Loads the first one when all are looked up, unless another one is asked for meanwhile; `say` is
  /// given a line for what can't be had from then on.
  func open(_ say: @escaping (String) -> Void) {
    self.say = say
    wantsInitial = asked == nil && present.isEmpty
  }

  /// Takes a request on, before all others.
  func begin(_ name: String, for request: Request?, isKept: Bool) throws(Refusal) -> Order {
    try worker.checkRoom()
    passOver()
    // The start of the node waits for the first one.
    let ticket =
      request?.client == nil ? InstrumentTicket(patience: 0) : InstrumentTicket()
    let order = Order(
      name: name, request: request, isKept: isKept, ticket: ticket, since: context.now())
    asked = order
    return order
  }

  /// Loads what was asked for, as the instrument of its name.
  func load(_ order: Order) {
    load(order) { [name = order.name, ticket = order.ticket] shelf throws(Refusal) in
      try shelf.instrument(name, ticket: ticket)
    }
  }

  /// Loads what was asked for, by work that returns nil where nobody wants it any more.
  func load(
    _ order: Order,
    by work: @escaping @Sendable (InstrumentShelf) throws(Refusal) -> InstrumentShelf.Ready?
  ) {
    let ticket = order.ticket
    worker.run { shelf throws(Refusal) in
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

  /// Gives up what was asked for, and says why.
  func fail(_ order: Order, _ refusal: Refusal) {
    guard !order.ticket.isWithdrawn else { return }
    order.ticket.withdraw()
    asked = nil
    // There shall be something to play, where what was kept is gone, or somebody mistyped.
    if !hasFallback, order.name != Self.initial { wantsInitial = true }
    if let request = order.request, request.client != nil {
      request.refuse(refusal)
    } else {
      say?("the instrument \(quoted(order.name)) can't be had: \(refusal.message)")
    }
  }

  /// Lets the one that sounds be none that may go on where another one can't be had.
  func forgetFallback() { hasFallback = false }

  private func passOver() {
    wantsInitial = false
    guard let former = asked else { return }
    former.ticket.withdraw()
    asked = nil
    guard let request = former.request, request.client != nil else { return }
    request.refuse(
      Refusal(.state, "\(quoted(former.name)) does not come: another one was asked for"))
  }

  // MARK: - What happens

  /// Asks for the first one where it is time for it, which it is not while all are still looked up,
  /// and tells how far the present order is; returns whether one is under way.
  func poll(_ now: Double, isOpening: Bool) -> Bool {
    if wantsInitial, !isOpening, !context.isOpening, asked == nil {
      wantsInitial = false
      if let order = try? begin(Self.initial, for: nil, isKept: false) { load(order) }
    }
    finishReading()
    tellProgress(now)
    return asked != nil || unread != nil
  }

  /// Tells what showed while the rest of the present one was read.
  private func finishReading() {
    guard let rest = unread?.rest, rest.reading.isOver else { return }
    unread = nil
    guard present == rest.name, notes != rest.notes else { return }
    notes = rest.notes
    context.changed(Instruments.notes)
  }

  private func tellProgress(_ now: Double) {
    var progress: Float = 1
    if let order = asked ?? unread?.order, now - order.since > Self.quietTime {
      progress = Float(order.ticket.progress)
    }
    guard progress != self.progress else { return }
    self.progress = progress
    context.changed(Instruments.loading)
  }

  /// Gives the engine another instrument, and keeps the former one until nothing sounds of it.
  private func handOver(_ next: InstrumentShelf.Ready, _ order: Order) {
    let former = playing
    let instrument = next.reading.instrument
    var change = PlannedCommand(action: .instrument(instrument.pointer))
    change.isAnsweredLate = true
    change.whenDone = { withExtendedLifetime(former) {} }
    // Answered as soon as new notes sound of it, however long the old ones are held.
    let sounding = PlannedCommand(
      action: .sync(0), whenDone: { [weak self] in self?.tell(next, order) })
    do throws(Refusal) {
      try context.submit([change, sounding])
      playing = instrument
      asked = nil
      // Of the former one nothing more is wanted.
      unread?.order.ticket.withdraw()
      unread = (order, next)
    } catch {
      fail(order, error)
    }
  }

  private func tell(_ next: InstrumentShelf.Ready, _ order: Order) {
    present = next.name
    hasFallback = true
    notes = next.notes
    context.changed(Instruments.present, Instruments.notes)
    if order.isKept {
      keptName = next.name
      context.keep(Instruments.present, for: order.request)
    }
    order.request?.done([next.name] + next.notes)
  }
}
