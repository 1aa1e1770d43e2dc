/// Where the beats come from.
package enum TempoSource: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// The node's own tempo.
  case own
  /// MIDI clock on the MIDI input.
  case midi
  /// A session of Ableton Link.
  case link
  /// JACK's transport, while it rolls.
  case jack

  @_noLocks
  init(number: Float) {
    // The real-time check rejects the initializer from a raw value.
    if number == 1 {
      self = .midi
    } else if number == 2 {
      self = .link
    } else if number == 3 {
      self = .jack
    } else {
      self = .own
    }
  }
}

/// The tempo of a source that is followed.
package struct TempoReading: BitwiseCopyable, Sendable {
  /// The tempo in beats per minute.
  package var beatsPerMinute = 120.0
  /// Whether the source is there, and its phase is known within a millisecond.
  package var isLocked = true
  /// Whether it runs: MIDI clock since a Start, or JACK's transport.
  package var isRunning = false
  /// The expected error of the phase against the source in milliseconds: one standard deviation.
  package var error = 0.0

  /// The own tempo, at 120 beats per minute.
  @_noLocks
  package init() {}
}
