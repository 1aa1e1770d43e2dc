internal import Music

/// An envelope with the stages delay, attack, hold, decay, sustain and release, from 0 to 1.
package struct RegionEnvelope: Equatable, Sendable {
  /// The meaning of the decay and release times.
  package enum Fall: Sendable {
    /// The time from 1 to 0 at a constant slope: a shorter fall takes less time. For amplitude the
    /// slope is in dB, and 0 is -100 dB.
    case whole
    /// The time from the current level to the target, regardless of the distance.
    case rest
  }

  /// The delay before the attack, in seconds.
  package var delay = 0.0
  /// The level at the start of the attack, from 0 to 1.
  package var start = 0.0
  /// The attack: the rise time to 1, in seconds.
  package var attack = 0.0
  /// The hold: the time at 1, in seconds, for key 60.
  package var hold = 0.0
  /// The decay: the fall time to the sustain level, in seconds, for key 60.
  package var decay = 0.0
  /// The sustain level, from 0 to 1.
  ///
  /// A linear factor for amplitude.
  package var sustain = 1.0
  /// The release: the fall time after note off, in seconds.
  package var release = 0.0
  /// The meaning of the decay and release times.
  package var fall = Fall.rest
  /// The shortening of the hold per key above 60, in timecents.
  package var holdPerKey = 0.0
  /// The shortening of the decay per key above 60, in timecents.
  package var decayPerKey = 0.0
  /// The seconds that full velocity adds to the attack.
  package var attackByVelocity = 0.0
  /// The seconds that full velocity adds to the decay.
  package var decayByVelocity = 0.0
  /// The level that full velocity adds to the sustain, from -1 to 1.
  package var sustainByVelocity = 0.0
  /// The seconds that full velocity adds to the release.
  package var releaseByVelocity = 0.0

  /// Returns the hold for a key, in seconds.
  package func hold(key: Int) -> Double { hold * Cents.ratio(Double(60 - key) * holdPerKey) }

  /// Returns the decay for a key, in seconds.
  package func decay(key: Int) -> Double { decay * Cents.ratio(Double(60 - key) * decayPerKey) }
}
