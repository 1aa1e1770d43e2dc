/// A note detected in a recording.
package struct PlayedNote: Equatable, Sendable {
  /// The onset, in seconds.
  package var start: Double
  /// The duration, in seconds.
  package var length: Double
  /// The pitch, in cents above MIDI key 0.
  package var cents: Double
  /// The mean absolute deviation of the pitch, in cents.
  package var spread: Double

  /// The end, in seconds.
  package var end: Double { start + length }
}
