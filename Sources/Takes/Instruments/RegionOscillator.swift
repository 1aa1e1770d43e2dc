/// A slow wave, a triangle from -1 to 1, that begins with the note.
package struct RegionOscillator: Equatable, Sendable {
  /// How long it waits, in seconds.
  package var delay = 0.0
  /// How often it swings, in Hz.
  package var frequency = 8.176
  /// How far it moves the pitch, in cents.
  package var toPitch = 0.0
  /// How far it moves the filter, in cents.
  package var toFilter = 0.0
  /// How far it moves the loudness, in dB.
  package var toGain = 0.0
}
