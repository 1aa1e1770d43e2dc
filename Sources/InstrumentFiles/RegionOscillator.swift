/// An LFO: a triangle wave from -1 to 1 that restarts with each note.
package struct RegionOscillator: Equatable, Sendable {
  /// The delay before the oscillation starts, in seconds.
  package var delay = 0.0
  /// The frequency, in Hz.
  package var frequency = 8.176
  /// The pitch depth, in cents.
  package var toPitch = 0.0
  /// The cutoff depth, in cents.
  package var toFilter = 0.0
  /// The amplitude depth, in dB.
  package var toGain = 0.0
}
