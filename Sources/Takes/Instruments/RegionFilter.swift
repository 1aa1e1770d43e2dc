/// The filter of a region.
package struct RegionFilter: Equatable, Sendable {
  /// What it lets through.
  package enum Kind: Sendable {
    case lowpass1, lowpass2, highpass1, highpass2, bandpass, bandreject
  }

  /// What it lets through.
  package var kind = Kind.lowpass2
  /// Where it begins to take away, in Hz.
  package var cutoff = 20_000.0
  /// How much louder the cutoff is, in dB above a filter without resonance.
  package var resonance = 0.0
  /// How far a key moves the cutoff, in cents for each above 60.
  package var perKey = 0.0
  /// How far full velocity moves the cutoff, in cents.
  package var byVelocity = 0.0
}
