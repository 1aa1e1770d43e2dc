/// A measured round trip.
package struct RoundTrip: Sendable, Equatable {
  /// The time from the output to the input, in frames.
  package var frames: Double
  /// The largest difference between single sweeps, in frames.
  package var spread: Double
  /// The level of the first arrival above the noise, in dB.
  package var clearance: Double
  /// Whether nothing but one arrival was received, as through a cable.
  package var isAlone: Bool

  /// How certain it is.
  package var confidence: Confidence {
    clearance >= 30 && spread <= 1 ? .high : .fair
  }

  package enum Confidence: String, Sendable {
    case high, fair
  }
}

/// The reason why a round trip can't be measured.
package enum RoundTripRefusal: Error, Equatable, CustomStringConvertible {
  case noSignal
  case clipped
  case tooNoisy
  case unsure
  /// A second arrival, this many milliseconds after the first.
  case twoArrivals(milliseconds: Double)
  /// The sweeps differ by this many milliseconds.
  case unsteady(milliseconds: Double)

  package var description: String {
    switch self {
    case .noSignal:
      "no signal: the sweep did not arrive; check the cable or the microphone, and its level"
    case .clipped: "the input clipped; lower its level, or use a lower --level"
    case .tooNoisy: "too noisy: raise the level, or measure where it is quiet"
    case .unsure:
      "unsure: something weak arrived before the clear arrival; move the microphone closer to the loudspeaker"
    case .twoArrivals(let milliseconds):
      "two arrivals, \(tenths(milliseconds)) ms apart; turn off monitoring in the card and in other programs"
    case .unsteady(let milliseconds):
      "the sweeps differ by \(tenths(milliseconds)) ms; stop other sound, and use a larger buffer if there are "
        + "xruns"
    }
  }

  private func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
