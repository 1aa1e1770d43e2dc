/// A region of an instrument as the audio thread plays it: plain numbers, and nothing to look up.
package struct SamplerRegion: BitwiseCopyable, Sendable {
  /// The moment at which a region sounds.
  package enum Trigger: BitwiseCopyable, Sendable {
    case attack, release, first, legato
  }

  /// The way a sample goes on at the end of its loop.
  package enum LoopMode: BitwiseCopyable, Sendable {
    case none, continuous, untilRelease, oneShot
  }

  /// Stands for no key.
  package static var noKey: UInt8 { @_noLocks get { 255 } }

  /// The lowest and the highest key.
  package var keys: (low: UInt8, high: UInt8) = (0, 127)
  /// The lowest and the highest velocity, 0 to 127.
  package var velocities: (low: UInt8, high: UInt8) = (0, 127)
  /// The moment at which a region sounds.
  package var trigger = Trigger.attack
  /// How many turns there are, and which one it is, from 1 on.
  package var turn: (length: UInt16, position: UInt16) = (1, 1)
  /// The part of the chance that it is for.
  package var chance: (low: Float, high: Float) = (0, 1)
  /// The keys of which the last one counts; `noKey` where there are none.
  package var switchKeys: (low: UInt8, high: UInt8) = (255, 255)
  /// The one of them that must have been the last.
  package var switchLast: UInt8 = 255
  /// The one that counts as the last at the beginning.
  package var switchInitial: UInt8 = 255
  /// A key that must be held, one that must not be, and the note that must have come before.
  package var switchDown: UInt8 = 255, switchUp: UInt8 = 255, switchPrevious: UInt8 = 255
  /// The group that it is in, and the one whose notes end it; 0 is none.
  package var group: Int32 = 0, offBy: Int32 = 0
  /// The key that it plays whatever the note.
  package var fixedKey: UInt8 = 255
  /// The velocity, from 0 to 1, that it plays whatever the note; 0 where the note's counts.
  package var fixedVelocity: Float = 0

  /// The number of the instrument's sound that it plays.
  package var sound: Int32 = 0
  /// The frames at which it begins and ends.
  package var start: Int32 = 0, end: Int32 = 0
  /// The way on at the end of the loop.
  package var loopMode = LoopMode.none
  /// The loop; empty where there is none.
  package var loop: (start: Int32, end: Int32) = (0, 0)
  /// The rate of the sound, in Hz.
  package var rate: Float = 48_000

  /// The key at which the sound has its own pitch, and what is added, in cents.
  package var rootKey: Float = 60, tune: Float = 0
  /// The distance of neighbouring keys, in cents.
  package var keyTracking: Float = 100
  /// The gain, in dB.
  package var gain: Float = 0
  /// The pan, from -1, left, to 1, right.
  package var pan: Float = 0
  /// The share of the pitch bend that it follows.
  package var bend: Float = 1
  /// Whether there is a filter.
  package var isFiltered = false
  /// The filter.
  package var filter = Filter()
  /// The loudness over time.
  package var envelope = Envelope()
  /// The envelope that moves pitch and filter.
  package var modulation = Envelope()
  /// How far that moves the pitch and the filter, in cents.
  package var modulationToPitch: Float = 0, modulationToFilter: Float = 0
  /// The oscillator that swings pitch, filter and loudness.
  package var tremolo = Oscillator()
  /// The oscillator that swings the pitch.
  package var vibrato = Oscillator()
  /// The place of its modulators among all of the instrument, and how many those are that count
  /// once a note, and, behind them, those that move while it sounds.
  package var modulators: (first: Int32, once: Int32, live: Int32) = (0, 0, 0)
  // The places of its sound as it is played while the loop goes on, and after that; set by the
  // instrument.
  var looped: Int32 = 0, plain: Int32 = 0

  /// A region that plays the first sound as it is.
  package init() {}

  /// A filter.
  package struct Filter: BitwiseCopyable, Sendable {
    /// The response of the filter.
    package enum Kind: BitwiseCopyable, Sendable {
      case lowpass1, lowpass2, highpass1, highpass2, bandpass, bandreject
    }

    /// The response of the filter.
    package var kind = Kind.lowpass2
    /// The cutoff frequency, in Hz.
    package var cutoff: Float = 20_000
    /// The resonance at the cutoff, in dB.
    package var resonance: Float = 0
    /// How far each key above 60, and full velocity move it, in cents.
    package var perKey: Float = 0, byVelocity: Float = 0

    /// A filter that lets most through.
    package init() {}
  }

  /// An envelope, in the terms of `RegionEnvelope`.
  package struct Envelope: BitwiseCopyable, Sendable {
    /// The times, in seconds.
    package var delay: Float = 0, attack: Float = 0, hold: Float = 0, decay: Float = 0
    /// The time of the end, in seconds.
    package var release: Float = 0
    /// The levels at the start and of the sustain, from 0 to 1.
    package var start: Float = 0, sustain: Float = 1
    /// Whether the times of decay and release are those of the whole way.
    package var isWhole = false
    /// The change of hold and decay with the key, in cents for each.
    package var holdPerKey: Float = 0, decayPerKey: Float = 0
    /// The change at full velocity.
    package var attackByVelocity: Float = 0, decayByVelocity: Float = 0
    /// The change at full velocity.
    package var sustainByVelocity: Float = 0, releaseByVelocity: Float = 0

    /// An envelope that is open while a note lasts.
    package init() {}
  }

  /// A slow triangle.
  package struct Oscillator: BitwiseCopyable, Sendable {
    /// How long it waits, in seconds, and how often it swings, in Hz.
    package var delay: Float = 0, frequency: Float = 8.176
    /// How far it moves pitch and filter, in cents, and loudness, in dB.
    package var toPitch: Float = 0, toFilter: Float = 0, toGain: Float = 0

    /// An oscillator that moves nothing.
    package init() {}
  }
}

/// A modulator: how something that a player does changes a sound, in the terms of soundfonts.
package struct SamplerModulator: BitwiseCopyable, Sendable {
  /// The source of a modulation.
  package enum Controller: BitwiseCopyable, Sendable {
    case constant, velocity, key, pressure, wheel
    case control(UInt8)
  }

  /// The shape of its way.
  package enum Curve: BitwiseCopyable, Sendable {
    case linear, concave, convex, step
  }

  /// A controller, and how it counts.
  package struct Source: BitwiseCopyable, Sendable {
    /// The source of a modulation.
    package var controller: Controller
    /// The shape of its way.
    package var curve: Curve
    /// Whether it is full at the bottom, and whether it goes from -1.
    package var isReversed: Bool, isBipolar: Bool

    /// A controller, and how it counts.
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

  /// The target of a modulation.
  package enum Target: BitwiseCopyable, Sendable {
    // What can move while a note sounds comes first: sixteen at most.
    case pitch, attenuation, pan, cutoff, resonance
    case tremoloToPitch, tremoloToFilter, tremoloToGain, vibratoToPitch
    case modulationToPitch, modulationToFilter
    // And what is settled when it begins.
    case keyTracking
    case tremoloFrequency, vibratoFrequency, tremoloDelay, vibratoDelay
    case delay, attack, hold, decay, release, sustain
    case modulationDelay, modulationAttack, modulationHold, modulationDecay, modulationRelease
    case modulationSustain
    case holdPerKey, decayPerKey, modulationHoldPerKey, modulationDecayPerKey

    /// Its place among all of them, from 0.
    var number: Int {
      @_noLocks get { Int(unsafeBitCast(self, to: UInt8.self)) }
    }

    /// Whether it can move while a note sounds.
    package var isLive: Bool { number <= 10 }
  }

  /// The source, and the one that scales it.
  package var source: Source, scale: Source
  /// The target of a modulation.
  package var target: Target
  /// The amount, in the unit of the target.
  package var amount: Float
  /// Whether what falls below 0 counts as much above it.
  package var isAbsolute: Bool

  /// A modulator.
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
