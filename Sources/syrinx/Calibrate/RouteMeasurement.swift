internal import Calibration
internal import DSP
internal import Drivers
internal import Engine

/// A measurement of the round trip between two JACK ports.
struct RouteMeasurement {
  /// The result.
  struct Result {
    let route: SoundRoute
    let trip: RoundTrip
    /// The latency that JACK reports, in frames.
    let reported: Int

    /// The part that JACK doesn't report, in frames.
    var extra: Double { trip.frames - Double(reported) }
  }

  /// The usual peak level of the sweeps, in dBFS.
  static let usualDecibels: Float = -12
  // A lost buffer can spoil a measurement, and the next one may be complete.
  private static let attempts = 3

  let output: String
  let input: String
  let server: String?
  /// The peak level of the sweeps, in dBFS.
  let decibels: Float
  /// Called with the share that is done.
  var progress: (Double) -> Void = { _ in }

  init(output: String, input: String, server: String?, decibels: Float) {
    (self.output, self.input, self.server, self.decibels) = (output, input, server, decibels)
  }

  /// Plays the sweeps, and finds the round trip.
  func measure() throws(Failure) -> Result {
    let recorder = try join()
    let finder = RoundTripFinder(Sweep(rate: Double(recorder.rate)))
    let signal = finder.signal(level: Level.gain(decibels: decibels))
    var refused: Failure?
    for _ in 0..<Self.attempts {
      guard let recording = recorder.record(signal, progress: progress) else {
        throw Failure(.unavailable, "the JACK server has ended")
      }
      do throws(RoundTripRefusal) {
        // Xruns between steady sweeps did no harm.
        return Result(
          route: recorder.route, trip: try finder.find(in: recording.samples),
          reported: recording.reported)
      } catch {
        // Neither of these comes of lost buffers.
        let isWhole = recording.faults == 0 || error == .noSignal || error == .clipped
        let reason =
          isWhole
          ? "\(error)"
          : "\(recording.faults) xruns; use a larger buffer, or run `syrinx doctor` (\(error))"
        refused = Failure(.badInput, "from \(output) to \(input): \(reason)")
        if isWhole { break }
      }
    }
    throw refused!
  }

  private func join() throws(Failure) -> RouteRecorder {
    do {
      return try RouteRecorder(from: output, to: input, server: server)
    } catch let error as RouteRecorder.PortError {
      throw Failure(.missingInput, error.description)
    } catch {
      throw Failure(.unavailable, "\(error)")
    }
  }
}
