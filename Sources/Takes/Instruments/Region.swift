/// A sample with all that is done to it, and the notes that it is for.
package struct Region: Equatable, Sendable {
  /// When it sounds.
  package enum Trigger: Sendable {
    /// With a note.
    case attack
    /// When a note ends.
    case release
    /// With a note while no other is held.
    case first
    /// With a note while another one is held.
    case legato
  }

  /// How a sample goes on at the end of its loop.
  package enum LoopMode: Sendable {
    /// There is no loop.
    case none
    /// The loop goes on for as long as there is sound.
    case continuous
    /// The loop ends with the note, and what follows it is heard.
    case untilRelease
    /// The sample is played to its end, however short the note.
    case oneShot
  }

  /// One of several regions that take turns.
  package struct Turn: Equatable, Sendable {
    /// How many turns there are.
    package var length = 1
    /// Which one it is, from 1 on.
    package var position = 1
  }

  /// The keys that choose which regions sound.
  package struct Switches: Equatable, Sendable {
    /// The keys of which the last one counts.
    package var keys: ClosedRange<Int>?
    /// The one that must have been the last.
    package var last: Int?
    /// The one that counts as the last at the beginning.
    package var initial: Int?
    /// A key that must be held.
    package var down: Int?
    /// A key that must not be held.
    package var up: Int?
    /// The note that must have come before.
    package var previous: Int?
  }

  // MARK: - When

  /// The keys that it is for, 0 to 127.
  package var keys = 0...127
  /// The velocities that it is for, 0 to 127.
  package var velocities = 0...127
  /// When it sounds.
  package var trigger = Trigger.attack
  /// Its turn.
  package var turn = Turn()
  /// The part of the chance, from 0 to below 1, that it is for.
  package var chance = 0.0..<1.0
  /// What keys must have been played.
  package var switches = Switches()
  /// The group that it is in; 0 is none.
  package var group = 0
  /// The group whose notes end it; 0 is none.
  package var offBy = 0
  /// The key that it plays whatever the note.
  package var fixedKey: Int?
  /// The velocity that it plays whatever the note.
  package var fixedVelocity: Int?

  // MARK: - What

  /// Which of the instrument's samples it plays.
  package var sample = 0
  /// The frame of the sample at which it begins.
  package var start = 0
  /// The frame after its last.
  package var end = 0
  /// What happens at the end of the loop.
  package var loopMode = LoopMode.none
  /// The loop, in frames of the sample; empty where there is none.
  package var loop = 0..<0

  // MARK: - How

  /// The key at which the sample has its own pitch.
  package var rootKey = 60
  /// How much higher it is played, in cents.
  package var tune = 0.0
  /// How much higher each key is than the one below, in cents.
  package var keyTracking = 100.0
  /// How much louder it is played, in dB.
  package var gain = 0.0
  /// From -1, left, to 1, right.
  package var pan = 0.0
  /// How much goes to a reverb, from 0 to 1.
  package var reverb = 0.0
  /// How much goes to a chorus, from 0 to 1.
  package var chorus = 0.0
  /// The filter; nil where all is let through, and nothing moves it.
  package var filter: RegionFilter?
  /// The loudness of a note over time.
  package var envelope = RegionEnvelope()
  /// What moves pitch and filter over the time of a note.
  package var modulationEnvelope = RegionEnvelope()
  /// How far the modulation envelope moves the pitch, in cents.
  package var modulationToPitch = 0.0
  /// How far the modulation envelope moves the filter, in cents.
  package var modulationToFilter = 0.0
  /// The oscillator that moves pitch, filter and loudness.
  package var tremolo = RegionOscillator()
  /// The oscillator that moves the pitch alone.
  package var vibrato = RegionOscillator()
  /// What the player's hands do to it.
  package var modulators: [Modulator] = []

  /// How much higher than its own pitch the sample is played for a key, in cents.
  package func cents(key: Int) -> Double {
    Double((fixedKey ?? key) - rootKey) * keyTracking + tune
  }

  /// Whether it is for a key and a velocity.
  package func fits(key: Int, velocity: Int) -> Bool {
    keys.contains(key) && velocities.contains(velocity)
  }
}
