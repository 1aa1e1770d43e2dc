/// A region of an instrument in the form the audio thread plays: plain numbers, all references
/// resolved.
package struct SamplerRegion: BitwiseCopyable, Sendable {
  /// The event that starts a region.
  package enum Trigger: BitwiseCopyable, Sendable {
    /// Note on, and note off.
    case attack, release
    /// Note on while no other note is held, and while another one is.
    case first, legato
  }

  /// The loop mode.
  package enum LoopMode: BitwiseCopyable, Sendable {
    case none
    /// Loops for as long as the note sounds, including its release.
    case continuous
    /// Loops until note off, then plays on to the end.
    case untilRelease
    /// Plays the sample to its end, regardless of note off.
    case oneShot
  }

  /// The value for "no key".
  package static var noKey: UInt8 { @_noLocks get { 255 } }

  /// The key range.
  package var keys: (low: UInt8, high: UInt8) = (0, 127)
  /// The velocity range, 0 to 127.
  package var velocities: (low: UInt8, high: UInt8) = (0, 127)
  /// The event that starts the region.
  package var trigger = Trigger.attack
  /// The round-robin length, and the region's position from 1.
  package var turn: (length: UInt16, position: UInt16) = (1, 1)
  /// The range of the random number for which the region plays.
  package var chance: (low: Float, high: Float) = (0, 1)
  /// The key switch range; `noKey` if there is none.
  package var switchKeys: (low: UInt8, high: UInt8) = (255, 255)
  /// The key of the range that must have been pressed last.
  package var switchLast: UInt8 = 255
  /// The key that counts as pressed last initially.
  package var switchInitial: UInt8 = 255
  /// A key that must be down, one that must be up, and the key that must have been played before.
  package var switchDown: UInt8 = 255, switchUp: UInt8 = 255, switchPrevious: UInt8 = 255
  /// The region's group, and the group whose notes choke it; 0 for none.
  package var group: Int32 = 0, offBy: Int32 = 0
  /// The key to play regardless of the note; `noKey` if there is none.
  package var fixedKey: UInt8 = 255
  /// The velocity to play regardless of the note, up to 1; 0 uses the note's.
  package var fixedVelocity: Float = 0

  /// The index of the region's sound.
  package var sound: Int32 = 0
  /// The first frame, and the one after the last.
  package var start: Int32 = 0, end: Int32 = 0
  /// The behavior at the end of the loop.
  package var loopMode = LoopMode.none
  /// The loop range in frames; empty if there is none.
  package var loop: (start: Int32, end: Int32) = (0, 0)
  /// The sample rate of the sound, in Hz.
  package var rate: Float = 48_000

  /// The key at which the sound plays at its own pitch, and a detune in cents.
  package var rootKey: Float = 60, tune: Float = 0
  /// The interval between neighboring keys, in cents.
  package var keyTracking: Float = 100
  /// The gain, in dB.
  package var gain: Float = 0
  /// The pan, from -1 (left) to 1 (right).
  package var pan: Float = 0
  /// The pitch bend sensitivity, relative to the bend.
  package var bend: Float = 1
  /// Whether the filter is active.
  package var isFiltered = false
  /// The filter.
  package var filter = Filter()
  /// The amplitude envelope.
  package var envelope = Envelope()
  /// The modulation envelope of pitch and filter.
  package var modulation = Envelope()
  /// The depth of the modulation envelope for pitch and filter, in cents.
  package var modulationToPitch: Float = 0, modulationToFilter: Float = 0
  /// The LFO for pitch, filter and amplitude.
  package var tremolo = Oscillator()
  /// The LFO for pitch only.
  package var vibrato = Oscillator()
  /// The region's modulators within the instrument's list: the first index, the number evaluated
  /// once per note, and the number after those that stay live.
  package var modulators: (first: Int32, once: Int32, live: Int32) = (0, 0, 0)
  // The indices of the region's sound while looping and after release; set by the instrument.
  var looped: Int32 = 0, plain: Int32 = 0

  /// Creates a region that plays the first sound unchanged.
  package init() {}

  /// A filter's parameters.
  package struct Filter: BitwiseCopyable, Equatable, Sendable {
    /// The response of the filter, with the number of its poles.
    package enum Kind: BitwiseCopyable, Sendable {
      case lowpass1, lowpass2, highpass1, highpass2, bandpass, bandreject
    }

    /// The response of the filter.
    package var kind = Kind.lowpass2
    /// The cutoff frequency, in Hz.
    package var cutoff: Float = 20_000
    /// The gain at the cutoff, in dB above a filter without resonance.
    package var resonance: Float = 0
    /// The cutoff change per key above 60, and at full velocity, in cents.
    package var perKey: Float = 0, byVelocity: Float = 0

    /// Creates a lowpass at 20 kHz.
    package init() {}
  }

  /// The parameters of an envelope with the stages delay, attack, hold, decay, sustain and release.
  package struct Envelope: BitwiseCopyable, Equatable, Sendable {
    /// The times, in seconds; hold and decay are those of key 60.
    package var delay: Float = 0, attack: Float = 0, hold: Float = 0, decay: Float = 0
    /// The release time, in seconds.
    package var release: Float = 0
    /// The start level and the sustain level, 0 to 1; linear factors for amplitude.
    package var start: Float = 0, sustain: Float = 1
    /// Whether decay and release times are those of a fall from 1 to 0, so that a shorter fall takes less
    /// time, instead of those of the actual distance.
    ///
    /// For amplitude the slope is in dB, and 0 is -100 dB.
    package var isWhole = false
    /// The shortening of hold and decay per key above 60, in timecents.
    package var holdPerKey: Float = 0, decayPerKey: Float = 0
    /// The seconds that full velocity adds to attack and decay.
    package var attackByVelocity: Float = 0, decayByVelocity: Float = 0
    /// The increase of the sustain level, and of the release in seconds, at full velocity.
    package var sustainByVelocity: Float = 0, releaseByVelocity: Float = 0

    /// Creates an envelope that is open while the note lasts.
    package init() {}
  }

  /// The parameters of a triangle LFO, which restarts with each note.
  package struct Oscillator: BitwiseCopyable, Equatable, Sendable {
    /// The delay in seconds, and the frequency in Hz.
    package var delay: Float = 0, frequency: Float = 8.176
    /// The depth for pitch and filter in cents, and for amplitude in dB.
    package var toPitch: Float = 0, toFilter: Float = 0, toGain: Float = 0

    /// Creates an LFO without effect.
    package init() {}
  }
}

/// A modulator, as defined by SoundFont 2: maps a controller to a parameter.
package struct SamplerModulator: BitwiseCopyable, Sendable {
  /// The source of a modulation.
  package enum Controller: BitwiseCopyable, Hashable, Sendable {
    /// Always 1.
    case constant
    case velocity, key, channelPressure, pitchWheel
    /// A control change, by its number.
    case control(UInt8)
    /// Controllers that files name, but that never change here.
    case keyPressure, pitchWheelRange
  }

  /// The shape of the mapping.
  package enum Curve: BitwiseCopyable, Sendable {
    case linear
    /// Rises slowly at first: -40/96 log10(1 - x).
    case concave
    /// Rises fast at first: 1 + 40/96 log10(x).
    case convex
    /// 0 in the lower half, 1 in the upper.
    case step
  }

  /// A controller and its mapping.
  package struct Source: BitwiseCopyable, Hashable, Sendable {
    /// The source of a modulation.
    package var controller: Controller
    /// The shape of the mapping.
    package var curve: Curve
    /// Whether the mapping is reversed, and whether it is bipolar, from -1 to 1.
    package var isReversed: Bool, isBipolar: Bool

    /// Creates a source.
    package init(
      _ controller: Controller, curve: Curve = .linear, isReversed: Bool = false,
      isBipolar: Bool = false
    ) {
      self.controller = controller
      self.curve = curve
      self.isReversed = isReversed
      self.isBipolar = isBipolar
    }
  }

  /// The target of a modulation, with the unit of its amount.
  package enum Target: BitwiseCopyable, Sendable {
    // Targets that can change during a note come first: sixteen at most.
    /// Cents, dB of attenuation, -1 to 1, cents, and dB.
    case pitch, attenuation, pan, cutoff, resonance
    /// Cents; dB for the gain.
    case tremoloToPitch, tremoloToFilter, tremoloToGain, vibratoToPitch
    case modulationToPitch, modulationToFilter
    // Targets that are fixed at the start of a note.
    /// Cents per key.
    case keyTracking
    /// Cents of a frequency, and timecents: 1200 doubles the time.
    case tremoloFrequency, vibratoFrequency, tremoloDelay, vibratoDelay
    /// Timecents; for the sustain, dB below full level.
    case delay, attack, hold, decay, release, sustain
    /// Timecents; for the sustain, 0 to 1 below full level.
    case modulationDelay, modulationAttack, modulationHold, modulationDecay, modulationRelease
    case modulationSustain
    /// Timecents per key.
    case holdPerKey, decayPerKey, modulationHoldPerKey, modulationDecayPerKey
    /// 0 to 1, of effects that a sampler doesn't have.
    case reverb, chorus

    /// Its index in declaration order.
    var number: Int {
      @_noLocks get { Int(unsafeBitCast(self, to: UInt8.self)) }
    }

    /// Whether the parameter can change during a note.
    package var isLive: Bool { number <= 10 }

    /// Whether a sampler has it.
    package var isPlayed: Bool { number < 32 }
  }

  /// The source, and the source that scales it.
  package var source: Source, scale: Source
  /// The target of a modulation.
  package var target: Target
  /// The amount, in the unit of the target.
  package var amount: Float
  /// Whether negative values are made positive.
  package var isAbsolute: Bool

  /// Creates a modulator.
  package init(
    source: Source, scale: Source = Source(.constant), target: Target, amount: Float,
    isAbsolute: Bool = false
  ) {
    self.source = source
    self.scale = scale
    self.target = target
    self.amount = amount
    self.isAbsolute = isAbsolute
  }
}
