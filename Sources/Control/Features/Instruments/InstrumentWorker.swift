/// The worker that waits for the disk on which the instruments are.
final class InstrumentWorker {
  private static let mostWaiting = 64

  private let worker = Worker("instruments")
  private let shelf: InstrumentShelf

  init(_ shelf: InstrumentShelf) { self.shelf = shelf }

  /// Whether something is under way.
  var isBusy: Bool { worker.count > 0 }

  /// Throws where no more can wait.
  func checkRoom() throws(Refusal) {
    guard worker.count < Self.mostWaiting else {
      throw Refusal(
        .busy, "\(worker.count) instruments wait for the disk already; send it again later")
    }
  }

  /// Queues work with the shelf behind all that was given before, and then calls `ending` from
  /// `deliver`.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (InstrumentShelf) throws(Refusal) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) {
    worker.run({ [shelf] () throws(Refusal) in try work(shelf) }, then: ending)
  }

  /// Tells of what is done.
  func deliver() { worker.deliver() }
}
