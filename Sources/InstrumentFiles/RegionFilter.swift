/// The filter of a region.
package struct RegionFilter: Equatable, Sendable {
  /// The kind of filter.
  package enum Kind: Sendable {
    case lowpass1, lowpass2, highpass1, highpass2, bandpass, bandreject
  }

  /// The kind of filter.
  package var kind = Kind.lowpass2
  /// The cutoff, in Hz.
  package var cutoff = 20_000.0
  /// The resonance: the gain at the cutoff, in dB above a filter without one.
  package var resonance = 0.0
  /// How far a key moves the cutoff, in cents for each above 60.
  package var perKey = 0.0
  /// How far full velocity moves the cutoff, in cents.
  package var byVelocity = 0.0
}
