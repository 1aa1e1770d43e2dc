internal import Posix

/// The ticket of an instrument that was asked for: it can be withdrawn, and tells the progress.
package final class InstrumentTicket: Sendable {
  /// The patience of clients, in microseconds: an instrument that is read sooner is whole before it plays.
  private static let usualPatience = 100_000.0

  /// How long is waited for all of it before some of it is played, in microseconds.
  package let patience: Double
  private let state = Guarded((isWithdrawn: false, progress: 0.0))

  /// A ticket of somebody who waits for the whole as long as is usual.
  package init(patience: Double = usualPatience) { self.patience = patience }

  /// Whether nobody wants it any more.
  package var isWithdrawn: Bool { state.withLock { $0.isWithdrawn } }

  /// How much is done, from 0 to 1.
  package var progress: Double { state.withLock { $0.progress } }

  package func withdraw() { state.withLock { $0.isWithdrawn = true } }

  /// Notes how much is done.
  package func note(_ progress: Double) { state.withLock { $0.progress = progress } }
}
