/// A value that a command can set in the engine, grouped by owner.
///
/// Each address that sets the sound has one parameter. Values are `Float` in the unit of the
/// address. A group declares its parameters and their initial values; numbers follow from the
/// declaration. `Core.set` routes each group to its owner, which receives that group only, so that
/// the compiler checks that all of it is handled.
package enum Parameter: Hashable, Sendable, BitwiseCopyable {
  case mixer(Mixer)
  case warp(Warp)
  case echo(Echo)
  case reverb(Reverb)
  case beat(Beat)
  case metronome(Metronome)
  case notes(Notes)
  case capture(Capture)
  case howlGuard(HowlGuard)
  case press(Press)
  case channel(Channel)
  case tune(Tune)
  /// A parameter of the harmony voice with this index, from 0.
  case harmony(Harmony, UInt8 = 0)
  /// A parameter of the loop with this index, from 0.
  case loop(Loop, UInt8 = 0)

  /// Gains, routes, the songs' tempo, mute, the bypass of all effects, and the lock.
  package enum Mixer: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case inGain, liveGain, gridGain, musicGain, outGain
    case liveRoute, gridRoute, musicRoute
    /// Whether songs follow the tempo, and their own one in beats per minute.
    case musicFollow, musicTempo
    case mute, bypass
    /// Whether the live input is held off the mix, whatever its route.
    case liveOff
    /// Whether no clip may be lost.
    case lock
    case harmonyGain, harmonyRoute
    /// The input whose chords the harmonies follow.
    case harmonyChords
  }

  /// Pitch and stretch of the sources that are routed through the chain.
  package enum Warp: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case pitchOn, semitones, formant, mix, engine
    case stretchOn, rate

    fileprivate var initial: Float {
      switch self {
      case .pitchOn, .mix, .stretchOn, .rate: 1
      default: 0
      }
    }
  }

  /// The echo.
  package enum Echo: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, time, beats, feedback, tone, lowcut, spread, glide, hold, mix

    fileprivate var initial: Float {
      switch self {
      case .time, .mix: 0.35
      case .feedback: 0.4
      case .tone: 6000
      case .lowcut: 80
      default: 0
      }
    }
  }

  /// The reverb.
  package enum Reverb: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, decay, size, damping, predelay, mix

    fileprivate var initial: Float {
      switch self {
      case .decay: 2
      case .size: 0.5
      case .damping: 6000
      case .predelay: 0.01
      case .mix: 0.3
      default: 0
      }
    }
  }

  /// Tempo, bars and quantization.
  package enum Beat: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case tempo, beatsPerBar, countIn
    /// Where the beats come from, a `TempoSource`, and their delay against it in milliseconds.
    case source, offset
    /// Whether the first recording sets the tempo, and the range of that tempo.
    case fitsFirst, slowest, fastest
    /// How late a press may be for its grain, in seconds.
    case lateness
    /// Whether MIDI clock is sent, and its delay against the beats in milliseconds.
    case sendsClock, clockOffset
    /// Whether the loops stop when the source of the beats stops.
    case stopsLoops

    fileprivate var initial: Float {
      switch self {
      case .tempo: 120
      case .beatsPerBar: 4
      case .slowest: 20
      case .fastest: 300
      case .lateness: 0.15
      default: 0
      }
    }
  }

  /// The sound of the metronome.
  package enum Metronome: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, gain
  }

  /// Notes of the grid, of MIDI keyboards, of the phrase, and to synthesizers.
  package enum Notes: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case sustain, snap, bend, channel
    /// Whether the phrase follows the tempo.
    case phraseFollow

    fileprivate var initial: Float {
      switch self {
      case .sustain, .phraseFollow: 0
      case .snap, .channel: 1
      case .bend: 2
      }
    }
  }

  /// Captures.
  package enum Capture: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case source, format
  }

  /// The guard against feedback.
  package enum HowlGuard: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, hold
  }

  /// The times that distinguish presses of pedals, keys and MIDI triggers.
  package enum Press: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case long, double
  }

  /// The channel strip of the live input.
  package enum Channel: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case lowCut
    case gateOn, gateThreshold, gateHold, gateRange
    case levelOn, levelAmount
    /// Whether loops and captures record its output instead of its input.
    case isRecorded

    fileprivate var initial: Float {
      switch self {
      case .gateThreshold: -45
      case .gateHold: 0.1
      case .gateRange: -60
      case .levelAmount: 0.5
      default: 0
      }
    }
  }

  /// The pitch correction of the live input.
  package enum Tune: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, amount, speed, vibrato, scale

    fileprivate var initial: Float {
      switch self {
      case .amount: 1
      case .speed: 20
      default: 0
      }
    }
  }

  /// One of the harmony voices.
  package enum Harmony: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, interval, gain, pan, formant, detune, delay

    fileprivate var initial: Float {
      switch self {
      case .interval: Float(HarmonyInterval.thirdUp.rawValue)
      case .gain: -6
      default: 0
      }
    }
  }

  /// The number of harmony voices.
  package static var harmonyVoices: Int { @_noLocks get { 4 } }

  /// One of the loops.
  package enum Loop: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case source, loop, direction
    case feedback, quantize, beats, threshold
    case semitones, rate, engine
    /// Varispeed: changes speed and pitch together.
    case speed
    case gain, pan, route, mute, solo
    /// When a stop takes effect.
    case stopAt
    /// How the loop follows the tempo.
    case follow
    /// The actions after a recording, on a long press, and on a double press.
    case after, long, double

    fileprivate var initial: Float {
      switch self {
      case .loop, .direction, .feedback, .rate, .speed: 1
      case .threshold: -90
      case .long: Float(PedalMeaning.stop.rawValue)
      case .double: Float(PedalMeaning.undo.rawValue)
      default: 0
      }
    }
  }

  /// The maximum number of loops.
  package static var mostLoops: Int { @_noLocks get { 16 } }

  /// The initial value, in the unit of the address.
  package var initial: Float {
    switch self {
    case .warp(let own): own.initial
    case .echo(let own): own.initial
    case .reverb(let own): own.initial
    case .beat(let own): own.initial
    case .notes(let own): own.initial
    case .howlGuard(let own): own == .hold ? 60 : 0
    case .press(let own): own == .long ? 0.5 : 0.3
    case .channel(let own): own.initial
    case .tune(let own): own.initial
    case .harmony(let own, _): own.initial
    case .loop(let own, _): own.initial
    case .mixer, .metronome, .capture: 0
    }
  }
}

extension Parameter: CaseIterable {
  /// All parameters, in the order of their numbers.
  package static let allCases: [Parameter] =
    Mixer.allCases.map(Parameter.mixer) + Warp.allCases.map(Parameter.warp)
    + Echo.allCases.map(Parameter.echo) + Reverb.allCases.map(Parameter.reverb)
    + Beat.allCases.map(Parameter.beat) + Metronome.allCases.map(Parameter.metronome)
    + Notes.allCases.map(Parameter.notes) + Capture.allCases.map(Parameter.capture)
    + HowlGuard.allCases.map(Parameter.howlGuard)
    + Press.allCases.map(Parameter.press)
    + Channel.allCases.map(Parameter.channel)
    + Tune.allCases.map(Parameter.tune)
    + (0..<harmonyVoices).flatMap { voice in
      Harmony.allCases.map { Parameter.harmony($0, UInt8(voice)) }
    }
    + (0..<mostLoops).flatMap { loop in
      Loop.allCases.map { Parameter.loop($0, UInt8(loop)) }
    }

  /// An index for tables by parameter, from 0 and less than `numbers`: the index in its group,
  /// after the sizes of the preceding groups.
  package var number: Int {
    @_noLocks get {
      switch self {
      case .mixer(let own): Self.number(own, inGroup: 0)
      case .warp(let own): Self.number(own, inGroup: 1)
      case .echo(let own): Self.number(own, inGroup: 2)
      case .reverb(let own): Self.number(own, inGroup: 3)
      case .beat(let own): Self.number(own, inGroup: 4)
      case .metronome(let own): Self.number(own, inGroup: 5)
      case .notes(let own): Self.number(own, inGroup: 6)
      case .capture(let own): Self.number(own, inGroup: 7)
      case .howlGuard(let own): Self.number(own, inGroup: 8)
      case .press(let own): Self.number(own, inGroup: 9)
      case .channel(let own): Self.number(own, inGroup: 10)
      case .tune(let own): Self.number(own, inGroup: 11)
      case .harmony(let own, let voice): Self.number(own, inGroup: 12 &+ Int(voice))
      case .loop(let own, let loop): Self.number(own, inGroup: 16 &+ Int(loop))
      }
    }
  }

  /// The size of a table by parameter.
  package static var numbers: Int { @_noLocks get { (16 &+ mostLoops) &* groupRoom } }

  private static var groupRoom: Int { @_noLocks get { 32 } }

  private static func number<Group: BitwiseCopyable>(_ own: Group, inGroup group: Int) -> Int {
    // The real-time check rejects the getter of a raw value. The byte has the same value.
    group &* groupRoom &+ Int(unsafeBitCast(own, to: UInt8.self))
  }
}
