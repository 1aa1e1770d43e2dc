/// A note that voices are begun for.
package struct VoiceNote: BitwiseCopyable {
  /// The number of the note; no two that sound have the same.
  package var number: UInt32
  /// The finger that plays it, and the instrument: only told again at its end.
  package var finger: UInt16, instrument: UInt8
  /// The MIDI key, 0 to 127.
  package var key: UInt8
  /// The pitch, in cents above key 0.
  package var cents: Float
  /// The velocity, above 0, up to 1.
  package var velocity: Float
  /// Whether another note is held.
  package var isLegato: Bool

  /// A note that voices are begun for.
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
