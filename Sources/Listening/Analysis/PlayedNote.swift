/// A note that was found in a sound.
package struct PlayedNote: Equatable, Sendable {
  /// When it begins, in seconds.
  package var start: Double
  /// How long it is, in seconds.
  package var length: Double
  /// Its pitch, in cents above MIDI key 0.
  package var cents: Double
  /// How far its pitch lies from that in the mean, in cents.
  package var spread: Double

  /// When it ends, in seconds.
  package var end: Double { start + length }
}
