/// The values that parameters begin with: the one place where they stand.
extension Parameter {
  /// The value at the start, in the unit of the address.
  package var initial: Float {
    switch self {
    case .warp(let own): own.initial
    case .echo(let own): own.initial
    case .reverb(let own): own.initial
    case .beat(.tempo): 120
    case .beat(.beatsPerBar): 4
    case .keyboard(.snap), .keyboard(.channel): 1
    case .keyboard(.bend): 2
    case .howlGuard(.hold): 60
    case .loop(let own, _): own.initial
    case .mixer, .chainBypass, .beat(.transportFollow), .beat(.countIn), .beat(.fitsFirst),
      .metronome, .capture, .gridSustain, .howlGuard(.on):
      0
    }
  }
}

extension Parameter.Warp {
  fileprivate var initial: Float {
    switch self {
    case .pitchOn, .mix, .stretchOn, .rate: 1
    case .semitones, .formant, .engine: 0
    }
  }
}

extension Parameter.Echo {
  fileprivate var initial: Float {
    switch self {
    case .time, .mix: 0.35
    case .feedback: 0.4
    case .tone: 6000
    case .lowcut: 80
    case .on, .beats, .spread, .glide, .hold: 0
    }
  }
}

extension Parameter.Reverb {
  fileprivate var initial: Float {
    switch self {
    case .on: 0
    case .decay: 2
    case .size: 0.5
    case .damping: 6000
    case .predelay: 0.01
    case .mix: 0.3
    }
  }
}

extension Parameter.Loop {
  fileprivate var initial: Float {
    switch self {
    case .loop, .direction, .feedback, .rate: 1
    case .threshold: -90
    case .source, .quantize, .beats, .semitones, .engine, .gain, .pan, .route, .mute, .after: 0
    case .long: Float(PedalMeaning.stop.rawValue)
    case .double: Float(PedalMeaning.undo.rawValue)
    }
  }
}
