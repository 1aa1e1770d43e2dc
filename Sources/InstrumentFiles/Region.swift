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

  /// The ways in which a sample goes on at the end of its loop.
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

  /// The turn of a region among several that sound one after the other.
  package struct Turn: Equatable, Sendable {
    /// The number of turns.
    package var length = 1
    /// The place of this turn, from 1 on.
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
  /// The keys that must have been played.
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
  /// The way in which it goes on at the end of the loop.
  package var loopMode = LoopMode.none
  /// The loop, in frames of the sample; empty where there is none.
  package var loop = 0..<0

  // MARK: - How

  /// The key at which the sample has its own pitch.
  package var rootKey = 60
  /// The tuning, in cents.
  package var tune = 0.0
  /// The step of pitch from each key to the next, in cents.
  package var keyTracking = 100.0
  /// The gain, in dB.
  package var gain = 0.0
  /// The pan, from -1, left, to 1, right.
  package var pan = 0.0
  /// The share that goes to a reverb, from 0 to 1.
  package var reverb = 0.0
  /// The share that goes to a chorus, from 0 to 1.
  package var chorus = 0.0
  /// The filter; nil where all is let through, and nothing moves it.
  package var filter: RegionFilter?
  /// The loudness of a note over time.
  package var envelope = RegionEnvelope()
  /// The envelope that moves pitch and filter over the time of a note.
  package var modulationEnvelope = RegionEnvelope()
  /// The distance that the modulation envelope moves the pitch, in cents.
  package var modulationToPitch = 0.0
  /// The distance that the modulation envelope moves the filter, in cents.
  package var modulationToFilter = 0.0
  /// The oscillator that moves pitch, filter and loudness.
  package var tremolo = RegionOscillator()
  /// The oscillator that moves the pitch alone.
  package var vibrato = RegionOscillator()
  /// The modulators: what the player's hands do to it.
  package var modulators: [Modulator] = []

  /// Tells how much higher than its own pitch the sample is played for a key, in cents.
  package func cents(key: Int) -> Double {
    Double((fixedKey ?? key) - rootKey) * keyTracking + tune
  }

  /// Whether it is for a key and a velocity.
  package func fits(key: Int, velocity: Int) -> Bool {
    keys.contains(key) && velocities.contains(velocity)
  }
}
