internal import DSP
internal import Engine
internal import OSC
internal import Posix
internal import Takes

/// The instrument as the node has it at the moment: the one that sounds, and the one that is on its
/// way.
///
/// What was asked for last wins: whoever asked for another one before is told that it does not come.
final class InstrumentLoader {
  /// The address by which instruments are asked for.
  static let path = "/grid/instrument"
  /// The one to begin with.
  static let initial = "piano"
  private static let mostWaiting = 64
  // What takes less is not told of while it goes on, in microseconds.
  private static let quietTime = 200_000.0
  // How often files are looked for because somebody asks for the list, in microseconds.
  private static let lookPeriod = 1e6
  private static let busyMilliseconds = 2

  /// An instrument that was asked for, and does not sound yet.
  struct Request {
    let name: String
    let client: Client?
    /// Whether it is the one to begin with at the next start.
    let isKept: Bool
    let ticket = InstrumentTicket()
    let since: Double
  }

  /// The name of the one that sounds; empty before the first.
  private(set) var present = ""
  /// What is to be told of it.
  private(set) var notes: [String] = []
  private let shelf: InstrumentShelf
  private let errands = Errands("instruments")
  private var names: [String] = []
  private var lookedAt = -Double.infinity
  private var isLooking = false
  /// Whether nobody has looked yet, but that is under way.
  private(set) var isOpening = false
  private var wantsInitial = false
  /// Whether the first instrument is still on its way.
  var isFirstUnderWay: Bool { isOpening || present.isEmpty && (wantsInitial || asked != nil) }
  /// Whether one is on its way, the first or another.
  var isUnderWay: Bool { isFirstUnderWay || wantsInitial || asked != nil }
  // Whether the present one may go on where another one can't be had.
  private var hasFallback = false
  private var say: ((String) -> Void)?
  private var changes = 0

  private var asked: Request?
  /// How many changes the engine answers only when nothing sounds any more of what was before.
  private(set) var stillSounding = 0
  // What the engine plays.
  private var playing: SamplerInstrument?

  init(_ library: InstrumentLibrary) { shelf = InstrumentShelf(library) }

  /// Whether something is on its way to the disk.
  var isWriting: Bool { changes > 0 }

  /// How much of the one that was asked for is there, from 0 to 1.
  private(set) var progress: Float = 1

  // MARK: - The list

  /// Looks up the instruments, tells what is to be known of that, and then loads the first one,
  /// unless another one is asked for meanwhile.
  func open(_ say: @escaping (String) -> Void, node: Node) {
    self.say = say
    isOpening = true
    wantsInitial = asked == nil && present.isEmpty
    look(node) { catalogue in
      for fault in catalogue.faults { say(fault) }
      say(
        catalogue.fonts.first.map { "instruments are those of \($0.path)" }
          ?? "there is no soundfont of General MIDI: instruments are built in; scripts/setup can "
          + "install one, and --soundfont name one")
    }
  }

  /// The names of all; looks them up anew, so that subscribers hear of files that have come.
  func names(askedBy node: Node) -> [String] {
    if node.now() - lookedAt > Self.lookPeriod { look(node) }
    return names
  }

  private func look(_ node: Node, then ending: ((InstrumentCatalogue) -> Void)? = nil) {
    guard ending != nil || !isLooking else { return }
    lookedAt = node.now()
    isLooking = true
    errands.run { [shelf] in
      shelf.look()
    } then: { [weak node, unowned self] outcome in
      isLooking = false
      isOpening = false
      guard case .success(let catalogue) = outcome else { return }
      if names != catalogue.names {
        names = catalogue.names
        node?.feedback.changed("/instruments")
      }
      ending?(catalogue)
    }
  }

  /// Makes a file an instrument, or forgets one, and then calls `ending`.
  func change<Value: Sendable>(
    _ node: Node, _ work: @escaping @Sendable (InstrumentShelf) throws(Refusal) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) throws(Refusal) {
    try checkRoom()
    changes += 1
    let work: @Sendable () throws(Refusal) -> Value = { [shelf] () throws(Refusal) in
      try work(shelf)
    }
    errands.run(work) { [unowned self, weak node] outcome in
      changes -= 1
      guard case .success = outcome, let node else {
        ending(outcome)
        return
      }
      // Whoever hears of the end finds it in the list.
      look(node) { _ in ending(outcome) }
    }
  }

  private func checkRoom() throws(Refusal) {
    guard errands.count < Self.mostWaiting else {
      throw Refusal(
        .busy, "\(errands.count) instruments wait for the disk already; send it again later")
    }
  }

  // MARK: - What is to sound

  /// Takes a request on, before all others.
  func begin(_ name: String, for client: Client?, isKept: Bool, node: Node) throws(Refusal)
    -> Request
  {
    try checkRoom()
    passOver(node)
    let request = Request(name: name, client: client, isKept: isKept, since: node.now())
    asked = request
    return request
  }

  /// Loads what was asked for; by default the instrument of that name.
  func load(
    _ request: Request, node: Node,
    by work: (@Sendable () throws(Refusal) -> InstrumentShelf.Ready?)? = nil
  ) {
    let ticket = request.ticket
    let name = request.name
    errands.run { [shelf] () throws(Refusal) in
      guard !ticket.isWithdrawn else { return nil }
      if let work { return try work() }
      return try shelf.instrument(name, ticket: ticket)
    } then: { [unowned self, weak node] (outcome: Result<InstrumentShelf.Ready?, Refusal>) in
      guard let node, !ticket.isWithdrawn else { return }
      switch outcome {
      case .success(let ready):
        if let ready { handOver(ready, request, node) }
      case .failure(let refusal): fail(request, refusal, node)
      }
    }
  }

  /// Gives up what was asked for, and says why.
  func fail(_ request: Request, _ refusal: Refusal, _ node: Node) {
    guard !request.ticket.isWithdrawn else { return }
    request.ticket.withdraw()
    asked = nil
    // There shall be something to play, where what was kept is gone, or somebody mistyped.
    if !hasFallback, request.name != Self.initial { wantsInitial = true }
    guard request.client == nil else {
      node.answer(refusal, to: Self.path, from: request.client)
      return
    }
    say?("the instrument \(quoted(request.name)) can't be had: \(refusal.message)")
  }

  /// Says whether the one that sounds may go on where another one can't be had.
  func present(isFallback: Bool) { hasFallback = isFallback }

  private func passOver(_ node: Node) {
    wantsInitial = false
    guard let former = asked else { return }
    former.ticket.withdraw()
    asked = nil
    guard let client = former.client else { return }
    node.answer(
      Refusal(.state, "\(quoted(former.name)) does not come: another one was asked for"),
      to: Self.path, from: client)
  }

  // MARK: - What happens

  /// Looks after the disk and the engine; returns in how many milliseconds to look again, nil for
  /// any time.
  func look(_ now: Double, node: Node) -> Int? {
    errands.deliver()
    if wantsInitial, !isOpening, !node.isOpening, asked == nil {
      wantsInitial = false
      if let request = try? begin(Self.initial, for: nil, isKept: false, node: node) {
        load(request, node: node)
      }
    }
    tellProgress(now, node)
    return errands.count > 0 || asked != nil ? Self.busyMilliseconds : nil
  }

  private func tellProgress(_ now: Double, _ node: Node) {
    var progress: Float = 1
    if let asked, now - asked.since > Self.quietTime { progress = Float(asked.ticket.progress) }
    guard progress != self.progress else { return }
    self.progress = progress
    node.feedback.changed("/instrument/loading")
  }

  /// Gives the engine another instrument, and keeps the former one until nothing sounds of it.
  private func handOver(_ next: InstrumentShelf.Ready, _ request: Request, _ node: Node) {
    let former = playing
    var change = PlannedCommand(action: .instrument(next.instrument.pointer))
    change.whenDone = { [weak self] in
      self?.stillSounding -= 1
      withExtendedLifetime(former) {}
    }
    // Answered as soon as new notes sound of it, however long the old ones are held.
    var sounding = PlannedCommand(action: .sync(0))
    sounding.whenDone = { [weak self, weak node] in
      guard let self, let node else { return }
      tell(next, request, node)
    }
    do throws(Refusal) {
      try node.submit([change, sounding], path: Self.path, client: nil)
      stillSounding += 1
      playing = next.instrument
      asked = nil
    } catch {
      fail(request, error, node)
    }
  }

  private func tell(_ next: InstrumentShelf.Ready, _ request: Request, _ node: Node) {
    present = next.name
    hasFallback = true
    notes = next.notes
    node.feedback.changed(Self.path)
    node.feedback.changed("/instrument/notes")
    if request.isKept { node.keep(Self.path, next.name, for: request.client) }
    node.reply(
      "/reply", ([Self.path, next.name] + next.notes).map(Argument.string), to: request.client)
  }
}
