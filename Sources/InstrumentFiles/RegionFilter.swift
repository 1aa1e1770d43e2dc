package struct RegionFilter: Equatable, Sendable {
  /// The response of the filter, with the number of its poles.
  package enum Kind: Sendable {
    case lowpass1, lowpass2, highpass1, highpass2, bandpass, bandreject
  }

  package var kind = Kind.lowpass2
  /// The cutoff, in Hz.
  package var cutoff = 20_000.0
  /// The resonance: the gain at the cutoff, in dB above a filter without one.
  package var resonance = 0.0
  /// The cutoff shift per key above 60, in cents.
  package var perKey = 0.0
  /// The cutoff shift at full velocity, in cents.
  package var byVelocity = 0.0
}
