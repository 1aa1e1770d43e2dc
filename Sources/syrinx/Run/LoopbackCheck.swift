internal import Control
internal import Engine
internal import Posix

/// The measurement of a loopback cable by the running node, on a thread of its own.
///
/// USB cards start in one of several states, whose latencies differ by milliseconds.
final class LoopbackCheck: Sendable {
  /// The outcome of a check.
  struct Outcome: Sendable {
    /// The measurement, and what it is of; nil if it was refused.
    var found: (entry: MeasuredLatencies.Entry, route: SoundRoute)?
    /// A line for the user; nil if nothing has changed.
    var line: String?
  }

  // A difference in frames that is not worth a line.
  private static let tolerance = 1.0

  private let cable: MeasuredLatencies.Cable
  private let server: String?
  private let home: String
  private let known: Double?
  private let tell: @Sendable (Outcome) -> Void

  /// Creates a check that compares with a known value, and calls `tell` on its own thread.
  init(
    cable: MeasuredLatencies.Cable, server: String?, home: String, known: Double?,
    tell: @escaping @Sendable (Outcome) -> Void
  ) {
    (self.cable, self.server, self.home, self.known) = (cable, server, home, known)
    self.tell = tell
  }

  /// Starts the thread.
  func start() {
    do throws(SystemError) {
      try Thread.start("loopback") { [self] in tell(measure()) }
    } catch {
      tell(Outcome(line: "latency: \(error)"))
    }
  }

  private func measure() -> Outcome {
    let measurement = RouteMeasurement(
      output: cable.output, input: cable.input, server: server,
      decibels: RouteMeasurement.usualDecibels)
    do throws(Failure) {
      let result = try measurement.measure()
      let entry = MeasuredLatencies.Entry(extra: result.extra, cable: cable)
      var outcome = Outcome(found: (entry, result.route))
      if let known, abs(known - result.extra) < Self.tolerance { return outcome }
      outcome.line =
        "latency: the loopback cable has \(hundredths(result.extra)) frames more than JACK reports"
        + (known.map { "; it had \(hundredths($0))" } ?? "")
      do throws(SystemError) {
        try MeasuredLatencies.add(entry, for: result.route, home: home)
      } catch {
        outcome.line? += "; not stored: \(error)"
      }
      return outcome
    } catch {
      return Outcome(line: "latency: the loopback cable was not measured: \(error.message)")
    }
  }
}
