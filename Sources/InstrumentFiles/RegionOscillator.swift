/// A slow wave, a triangle from -1 to 1, that begins with the note.
package struct RegionOscillator: Equatable, Sendable {
  /// The delay before it swings, in seconds.
  package var delay = 0.0
  /// The frequency, in Hz.
  package var frequency = 8.176
  /// The depth on the pitch, in cents.
  package var toPitch = 0.0
  /// The depth on the filter, in cents.
  package var toFilter = 0.0
  /// The depth on the loudness, in dB.
  package var toGain = 0.0
}
