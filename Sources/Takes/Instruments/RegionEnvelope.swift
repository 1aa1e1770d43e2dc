internal import Music

/// What a note goes through from its beginning to its end, between 0 and 1.
package struct RegionEnvelope: Equatable, Sendable {
  /// What the times of decay and release mean.
  package enum Fall: Sendable {
    /// From 1 to 0 at an even slope: where it falls less, it takes less time. For loudness the
    /// slope is one of dB, and 0 is 100 dB down.
    case whole
    /// From where it is to where it goes, however far.
    case rest
  }

  /// How long it waits, in seconds.
  package var delay = 0.0
  /// Where it begins to rise, from 0 to 1.
  package var start = 0.0
  /// How long it rises to 1, in seconds.
  package var attack = 0.0
  /// How long it stays there, in seconds, for key 60.
  package var hold = 0.0
  /// How long it falls, in seconds, for key 60.
  package var decay = 0.0
  /// Where it stays until the note ends, from 0 to 1; for loudness a factor.
  package var sustain = 1.0
  /// How long it takes to fall after that, in seconds.
  package var release = 0.0
  /// What the times of decay and release mean.
  package var fall = Fall.rest
  /// By how many octaves of time a key shortens the hold, in cents for each above 60.
  package var holdPerKey = 0.0
  /// By how many octaves of time a key shortens the decay, in cents for each above 60.
  package var decayPerKey = 0.0
  /// What is added to the attack at full velocity, in seconds.
  package var attackByVelocity = 0.0
  /// What is added to the decay at full velocity, in seconds.
  package var decayByVelocity = 0.0
  /// What is added to the sustain at full velocity, from -1 to 1.
  package var sustainByVelocity = 0.0
  /// What is added to the release at full velocity, in seconds.
  package var releaseByVelocity = 0.0

  /// How long it stays at 1 for a key, in seconds.
  package func hold(key: Int) -> Double { hold * Cents.ratio(Double(60 - key) * holdPerKey) }

  /// How long it falls for a key, in seconds.
  package func decay(key: Int) -> Double { decay * Cents.ratio(Double(60 - key) * decayPerKey) }
}
