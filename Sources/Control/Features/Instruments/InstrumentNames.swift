internal import InstrumentFiles

/// The names of all instruments, as they were looked up last.
final class InstrumentNames {
  // How often files are looked for because somebody asks for the list, in microseconds.
  private static let lookPeriod = 1e6

  /// Whether nobody has looked yet, but that is under way.
  private(set) var isOpening = false
  private let context: Context
  private let worker: InstrumentWorker
  private var names: [String] = []
  private var lookedAt = -Double.infinity
  private var isLooking = false
  // How many instruments are being added, or forgotten.
  private var changes = 0

  init(_ context: Context, _ worker: InstrumentWorker) {
    self.context = context
    self.worker = worker
  }

  /// Whether something is on its way to the disk.
  var isWriting: Bool { changes > 0 }

  /// The names; they are looked up anew, so that subscribers hear of files that have come.
  var current: [String] {
    if context.now() - lookedAt > Self.lookPeriod { lookUp() }
    return names
  }

  /// Looks up the instruments first, and tells what is to be known of that.
  func open(_ say: @escaping (String) -> Void) {
    isOpening = true
    lookUp { catalogue in
      for fault in catalogue.faults { say(fault) }
      say(
        catalogue.fonts.first.map { "instruments are those of \($0.path)" }
          ?? "there is no soundfont of General MIDI: instruments are built in; scripts/setup can "
          + "install one, and --soundfont name one")
    }
  }

  private func lookUp(then ending: ((InstrumentCatalogue) -> Void)? = nil) {
    guard ending != nil || !isLooking else { return }
    lookedAt = context.now()
    isLooking = true
    worker.run { shelf in
      shelf.look()
    } then: { [unowned self] (outcome: Result<InstrumentCatalogue, Refusal>) in
      isLooking = false
      isOpening = false
      guard case .success(let catalogue) = outcome else { return }
      if names != catalogue.names {
        names = catalogue.names
        context.changed(Instruments.list)
      }
      ending?(catalogue)
    }
  }

  /// Makes a file an instrument, or forgets one, and then calls `ending`.
  func change<Value: Sendable>(
    _ work: @escaping @Sendable (InstrumentShelf) throws(Refusal) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) throws(Refusal) {
    try worker.checkRoom()
    changes += 1
    worker.run(work) { [unowned self] outcome in
      changes -= 1
      guard case .success = outcome else {
        ending(outcome)
        return
      }
      // Whoever hears of the end finds it in the list.
      lookUp { _ in ending(outcome) }
    }
  }
}
