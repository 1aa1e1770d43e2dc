/// A value that a command can set in the engine, sorted by who owns it.
///
/// There is one for each address that is heard; its values travel as `Float` in the address's unit.
/// An owner is given its own part and no other, so that the compiler sees whether it knows all of
/// it; `Core.set` says who goes by what.
package enum Parameter: Hashable, Sendable, BitwiseCopyable {
  case mixer(Mixer)
  case warp(Warp)
  case echo(Echo)
  case reverb(Reverb)
  case chainBypass
  case beat(Beat)
  case metronome(Metronome)
  case keyboard(Keyboard)
  case capture(Capture)
  case gridSustain
  case howlGuard(HowlGuard)
  /// Of the loop that has this number, from 0.
  case loop(Loop, UInt8 = 0)

  /// Gains, routes and the mute.
  package enum Mixer: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case inGain, liveGain, gridGain, musicGain, outGain
    case liveRoute, gridRoute, musicRoute
    case mute
  }

  /// Pitch and stretch of all that goes through the chain.
  package enum Warp: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case pitchOn, semitones, formant, mix, engine
    case stretchOn, rate
  }

  /// The echo.
  package enum Echo: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, time, beats, feedback, tone, lowcut, spread, glide, hold, mix
  }

  /// The reverb.
  package enum Reverb: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, decay, size, damping, predelay, mix
  }

  /// Tempo, bars, and what waits for them.
  package enum Beat: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case tempo, beatsPerBar, transportFollow, countIn
    /// Whether the first recording sets the tempo.
    case fitsFirst
  }

  /// The metronome's sound.
  package enum Metronome: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, gain
  }

  /// MIDI keyboards and synthesizers.
  package enum Keyboard: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case snap, bend, channel
  }

  /// The guard against howling.
  package enum HowlGuard: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case on, hold
  }

  /// One of the loops.
  package enum Loop: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case source, loop, direction
    case feedback, quantize, beats, threshold
    case semitones, rate, engine
    case gain, pan, route, mute
    /// What follows a recording, a long press, and a double one.
    case after, long, double
  }

  /// The most loops that there can be.
  package static var mostLoops: Int { @_noLocks get { 16 } }

  /// Captures.
  package enum Capture: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case source, format
  }
}

extension Parameter: CaseIterable {
  /// All of them, in the order of their numbers.
  package static let allCases: [Parameter] =
    Mixer.allCases.map(Parameter.mixer) + Warp.allCases.map(Parameter.warp)
    + Echo.allCases.map(Parameter.echo) + Reverb.allCases.map(Parameter.reverb) + [.chainBypass]
    + Beat.allCases.map(Parameter.beat) + Metronome.allCases.map(Parameter.metronome)
    + Keyboard.allCases.map(Parameter.keyboard) + Capture.allCases.map(Parameter.capture)
    + [.gridSustain] + HowlGuard.allCases.map(Parameter.howlGuard)
    + (0..<mostLoops).flatMap { loop in
      Loop.allCases.map { Parameter.loop($0, UInt8(loop)) }
    }

  /// Its place among all of them, from 0.
  package var number: Int {
    // The real-time check sees neither the getter of a raw value nor `allCases`: the byte is what
    // the value would be, and a test compares the rest.
    @_noLocks get {
      switch self {
      case .mixer(let own): Int(unsafeBitCast(own, to: UInt8.self))
      case .warp(let own): 9 &+ Int(unsafeBitCast(own, to: UInt8.self))
      case .echo(let own): 16 &+ Int(unsafeBitCast(own, to: UInt8.self))
      case .reverb(let own): 26 &+ Int(unsafeBitCast(own, to: UInt8.self))
      case .chainBypass: 32
      case .beat(let own): 33 &+ Int(unsafeBitCast(own, to: UInt8.self))
      case .metronome(let own): 38 &+ Int(unsafeBitCast(own, to: UInt8.self))
      case .keyboard(let own): 40 &+ Int(unsafeBitCast(own, to: UInt8.self))
      case .capture(let own): 43 &+ Int(unsafeBitCast(own, to: UInt8.self))
      case .gridSustain: 45
      case .howlGuard(let own): 46 &+ Int(unsafeBitCast(own, to: UInt8.self))
      case .loop(let own, let loop):
        48 &+ 17 &* Int(loop) &+ Int(unsafeBitCast(own, to: UInt8.self))
      }
    }
  }
}
