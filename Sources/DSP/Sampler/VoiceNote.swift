/// A note that starts voices.
package struct VoiceNote: BitwiseCopyable {
  /// The note's number, unique among sounding notes.
  package var number: UInt32
  /// The finger and the instrument; only passed back when the note ends.
  package var finger: UInt16, instrument: UInt8
  /// The MIDI key, 0 to 127.
  package var key: UInt8
  /// The pitch, in cents above key 0.
  package var cents: Float
  /// The velocity, above 0 and up to 1.
  package var velocity: Float
  /// Whether another note is held.
  package var isLegato: Bool

  /// Creates a note.
  @_noLocks
  package init(
    number: UInt32, finger: UInt16, instrument: UInt8, key: UInt8, cents: Float, velocity: Float,
    isLegato: Bool
  ) {
    self.number = number
    self.finger = finger
    self.instrument = instrument
    self.key = key
    self.cents = cents
    self.velocity = velocity
    self.isLegato = isLegato
  }
}
