/// The background queue for instruments.
final class InstrumentWorker {
  private static let mostWaiting = 64

  private let worker = Worker("instruments")
  private let shelf: InstrumentShelf

  init(_ shelf: InstrumentShelf) { self.shelf = shelf }

  /// Whether work is in progress.
  var isBusy: Bool { worker.count > 0 }

  /// Throws if the queue is full.
  func checkRoom() throws(Refusal) {
    guard worker.count < Self.mostWaiting else {
      throw Refusal(
        .busy, "\(worker.count) requests for instruments are already queued; try again later")
    }
  }

  /// Queues work with the shelf.
  ///
  /// `deliver` calls `ending` when it is done.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (InstrumentShelf) throws(Refusal) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) {
    worker.run({ [shelf] () throws(Refusal) in try work(shelf) }, then: ending)
  }

  /// Delivers finished work.
  func deliver() { worker.deliver() }
}
