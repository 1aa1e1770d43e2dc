internal import InstrumentFiles

/// The names of all instruments, as of the last lookup.
final class InstrumentNames {
  // The minimum interval of lookups for queries of the list, in microseconds.
  private static let lookPeriod = 1e6

  /// Whether the first lookup is in progress.
  private(set) var isOpening = false
  /// Called when an instrument was added or deleted.
  var whenChanged: () -> Void = {}
  private let context: Context
  private let shelf: InstrumentShelf
  private var names: [String] = []
  private var lookedAt = -Double.infinity
  private var isLooking = false
  // The number of pending additions and deletions.
  private var changes = 0

  init(_ context: Context, _ shelf: InstrumentShelf) {
    self.context = context
    self.shelf = shelf
  }

  /// Whether a write is in progress.
  var isWriting: Bool { changes > 0 }

  /// The names.
  ///
  /// Also starts a lookup, so that subscribers learn about new files.
  var current: [String] {
    if context.now() - lookedAt > Self.lookPeriod { lookUp() }
    return names
  }

  /// Runs the first lookup, and reports its findings.
  func open(_ say: @escaping (String) -> Void) {
    isOpening = true
    lookUp { catalogue in
      for fault in catalogue.faults { say(fault) }
      say(
        catalogue.fonts.first.map { "instruments from \($0.path)" }
          ?? "no General MIDI soundfont found, using built-in instruments; scripts/setup can "
          + "install one, or set --soundfont")
    }
  }

  private func lookUp(then ending: ((InstrumentCatalogue) -> Void)? = nil) {
    guard ending != nil || !isLooking else { return }
    lookedAt = context.now()
    isLooking = true
    shelf.worker.run { [shelf] in
      shelf.lookUp()
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

  /// Adds or deletes an instrument, then calls `ending`.
  func change<Value: Sendable>(
    _ work: @escaping @Sendable (InstrumentShelf) throws(Refusal) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) throws(Refusal) {
    try shelf.worker.checkRoom()
    changes += 1
    shelf.worker.run { [shelf] () throws(Refusal) in
      try work(shelf)
    } then: { [unowned self] outcome in
      changes -= 1
      guard case .success = outcome else {
        ending(outcome)
        return
      }
      whenChanged()
      // The list is up to date when completion is reported.
      lookUp { _ in ending(outcome) }
    }
  }
}
