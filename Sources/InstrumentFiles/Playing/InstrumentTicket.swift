internal import Posix

/// A ticket for the load of an instrument, which cancels it and reports its progress.
package final class InstrumentTicket: Sendable {
  /// The default patience in microseconds.
  ///
  /// An instrument that loads faster is complete before it plays.
  private static let usualPatience = 100_000.0

  /// The time to wait for the complete instrument before it is played in part, in microseconds.
  package let patience: Double
  private let state = Guarded((isWithdrawn: false, progress: 0.0))

  /// Creates a ticket.
  ///
  /// The default patience is 0.1 s.
  package init(patience: Double = usualPatience) { self.patience = patience }

  /// Whether the load was canceled.
  package var isWithdrawn: Bool { state.withLock { $0.isWithdrawn } }

  /// The progress, from 0 to 1.
  package var progress: Double { state.withLock { $0.progress } }

  package func withdraw() { state.withLock { $0.isWithdrawn = true } }

  /// Updates the progress.
  package func note(_ progress: Double) { state.withLock { $0.progress = progress } }
}
