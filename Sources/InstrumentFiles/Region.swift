package import DSP

/// A region: a sample with its playback parameters, and the notes that trigger it.
package struct Region: Equatable, Sendable {
  /// A position in a round-robin sequence of regions.
  package struct Turn: Equatable, Sendable {
    /// The length of the sequence.
    package var length = 1
    /// The position in the sequence, counted from 1.
    package var position = 1
  }

  /// The keyswitches that enable a region.
  package struct Switches: Equatable, Sendable {
    /// The range of keyswitches, of which the last one pressed is active.
    package var keys: ClosedRange<Int>?
    /// The keyswitch that must be active.
    package var last: Int?
    /// The keyswitch that is active initially.
    package var initial: Int?
    /// A key that must be held.
    package var down: Int?
    /// A key that must not be held.
    package var up: Int?
    /// The key that must have been played before.
    package var previous: Int?
  }

  // MARK: - Conditions

  /// The key range, within 0 to 127.
  package var keys = 0...127
  /// The velocity range, within 0 to 127.
  package var velocities = 0...127
  package var trigger = SamplerRegion.Trigger.attack
  /// The round-robin position.
  package var turn = Turn()
  /// The range of the random number, from 0 to below 1, that selects it.
  package var chance = 0.0..<1.0
  /// The keyswitches.
  package var switches = Switches()
  /// The group, or 0 for none.
  package var group = 0
  /// The group whose notes cut this region off, or 0 for none.
  package var offBy = 0
  /// The key that is played regardless of the note.
  package var fixedKey: Int?
  /// The velocity that is used regardless of the note.
  package var fixedVelocity: Int?

  // MARK: - Sample

  /// The index of its sample in the instrument.
  package var sample = 0
  /// The first frame played.
  package var start = 0
  /// The frame after the last one played.
  package var end = 0
  package var loopMode = SamplerRegion.LoopMode.none
  /// The loop, in frames of the sample.
  ///
  /// Empty without a loop.
  package var loop = 0..<0

  // MARK: - Sound

  /// The root key, at which the sample plays at its own pitch.
  package var rootKey = 60
  /// The tuning, in cents.
  package var tune = 0.0
  /// The pitch step from each key to the next, in cents.
  package var keyTracking = 100.0
  /// The gain, in dB.
  package var gain = 0.0
  /// The pan, from -1 (left) to 1 (right).
  package var pan = 0.0
  /// The filter, or nil if it is fully open and unmodulated.
  package var filter: SamplerRegion.Filter?
  /// The amplitude envelope.
  package var envelope = SamplerRegion.Envelope()
  /// The modulation envelope, for pitch and filter.
  package var modulationEnvelope = SamplerRegion.Envelope()
  /// The depth of the modulation envelope on the pitch, in cents.
  package var modulationToPitch = 0.0
  /// The depth of the modulation envelope on the cutoff, in cents.
  package var modulationToFilter = 0.0
  /// The modulation LFO, for pitch, filter and amplitude.
  package var tremolo = SamplerRegion.Oscillator()
  /// The vibrato LFO, for pitch only.
  package var vibrato = SamplerRegion.Oscillator()
  /// The modulators.
  package var modulators: [Modulator] = []

  /// Returns the transposition from the sample's own pitch for a key, in cents.
  package func cents(key: Int) -> Double {
    Double((fixedKey ?? key) - rootKey) * keyTracking + tune
  }

  /// Whether the region matches a key and a velocity.
  package func fits(key: Int, velocity: Int) -> Bool {
    keys.contains(key) && velocities.contains(velocity)
  }
}
