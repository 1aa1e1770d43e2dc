internal import Music

/// An envelope: the course of a note from its beginning to its end, between 0 and 1.
package struct RegionEnvelope: Equatable, Sendable {
  /// The meaning of the times of decay and release.
  package enum Fall: Sendable {
    /// From 1 to 0 at an even slope: where it falls less, it takes less time. For loudness the
    /// slope is one of dB, and 0 is 100 dB down.
    case whole
    /// From where it is to where it goes, however far.
    case rest
  }

  /// The delay before the attack, in seconds.
  package var delay = 0.0
  /// The level at which the attack begins, from 0 to 1.
  package var start = 0.0
  /// The attack: the time of the rise to 1, in seconds.
  package var attack = 0.0
  /// The hold: the time at 1, in seconds, for key 60.
  package var hold = 0.0
  /// The decay: the time of the fall, in seconds, for key 60.
  package var decay = 0.0
  /// The sustain: the level until the note ends, from 0 to 1; for loudness a factor.
  package var sustain = 1.0
  /// The release: the time of the fall after that, in seconds.
  package var release = 0.0
  /// The meaning of the times of decay and release.
  package var fall = Fall.rest
  /// By how many octaves of time a key shortens the hold, in cents for each above 60.
  package var holdPerKey = 0.0
  /// By how many octaves of time a key shortens the decay, in cents for each above 60.
  package var decayPerKey = 0.0
  /// The seconds that full velocity adds to the attack.
  package var attackByVelocity = 0.0
  /// The seconds that full velocity adds to the decay.
  package var decayByVelocity = 0.0
  /// The level that full velocity adds to the sustain, from -1 to 1.
  package var sustainByVelocity = 0.0
  /// The seconds that full velocity adds to the release.
  package var releaseByVelocity = 0.0

  /// Tells the hold for a key, in seconds.
  package func hold(key: Int) -> Double { hold * Cents.ratio(Double(60 - key) * holdPerKey) }

  /// Tells the decay for a key, in seconds.
  package func decay(key: Int) -> Double { decay * Cents.ratio(Double(60 - key) * decayPerKey) }
}
