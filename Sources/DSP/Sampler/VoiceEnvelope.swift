internal import CRealtime

/// The DAHDSR envelope of a voice.
///
/// For amplitude, decay and release are linear in dB and the attack is linear in amplitude;
/// otherwise both are linear.
struct VoiceEnvelope: BitwiseCopyable {
  private enum Stage: BitwiseCopyable {
    case delay, attack, hold, decay, sustain, release, over
  }

  /// 100 dB in nepers: a voice this much quieter has ended.
  static var depth: Float { @_noLocks get { 11.512_925 } }
  static var least: Float { @_noLocks get { 1e-5 } }
  /// The usual step, in frames.
  static var usualStep: Int { @_noLocks get { 32 } }

  private let isLoudness: Bool
  private let isWhole: Bool
  private var stage = Stage.delay
  private var toGo: Int
  private let attackFrames: Int
  private let holdFrames: Int
  private let sustain: Float
  private let releaseFrames: Float
  // The slope of a decay per frame, and its effect over a usual step.
  private var slope: Float
  private var usualFall: Float = 1
  private var rise: Float = 0
  private var place: Float
  /// The current level.
  private(set) var level: Float

  /// Starts an envelope, whose times and levels are those of the note.
  @_noLocks
  init(_ times: SamplerRegion.Envelope, isLoudness: Bool, sampleRate: Float) {
    self.isLoudness = isLoudness
    isWhole = times.isWhole
    toGo = Self.frames(times.delay, sampleRate)
    attackFrames = Self.frames(times.attack, sampleRate)
    holdFrames = Self.frames(times.hold, sampleRate)
    sustain = max(0, min(1, times.sustain))
    releaseFrames = max(1, times.release * sampleRate)
    let decayFrames = max(1, times.decay * sampleRate)
    if isLoudness {
      slope =
        (times.isWhole ? Self.depth : -rt_log(max(sustain, Self.least))) / decayFrames
    } else {
      slope = (times.isWhole ? 1 : 1 - sustain) / decayFrames
    }
    place = max(0, min(1, times.start))
    level = 0
    goOn()
  }

  @_noLocks
  private static func frames(_ seconds: Float, _ sampleRate: Float) -> Int {
    // Even, because the filter processes two frames at a time.
    2 &* Int(max(0, min(1e9, seconds * sampleRate)) / 2 + 0.5)
  }

  /// Whether the voice has become silent for good.
  var isOver: Bool {
    @_noLocks get { if case .over = stage { true } else { false } }
  }

  /// Whether the envelope is in its delay stage.
  var isWaiting: Bool {
    @_noLocks get { if case .delay = stage { true } else { false } }
  }

  /// The longest next step, in frames; a step doesn't cross a corner.
  var longestStep: Int {
    @_noLocks get {
      switch stage {
      case .delay, .attack, .hold: min(toGo, Self.usualStep)
      case .decay, .sustain, .release, .over: Self.usualStep
      }
    }
  }

  /// Advances through all stages that are complete.
  @_noLocks
  private mutating func goOn() {
    if case .delay = stage, toGo <= 0 {
      stage = .attack
      toGo = attackFrames
      level = shown
      rise = attackFrames > 0 ? (1 - place) / Float(attackFrames) : 0
    }
    if case .attack = stage, toGo <= 0 {
      stage = .hold
      toGo = holdFrames
      place = 1
      level = 1
    }
    if case .hold = stage, toGo <= 0 {
      stage = .decay
      usualFall = fall(Self.usualStep)
    }
  }

  /// The output level during the attack.
  private var shown: Float {
    @_noLocks get {
      if isLoudness || !isWhole || place >= 1 { return place }
      // Convex: targets in cents or dB then rise linearly in Hz or amplitude.
      return place <= 0 ? 0 : max(0, 1 + rt_log(place) * (40 / 96 / 2.302_585_1))
    }
  }

  @_noLocks
  private func fall(_ frames: Int) -> Float {
    isLoudness ? rt_exp(-slope * Float(frames)) : slope * Float(frames)
  }

  /// Advances by `frames` frames, `longestStep` at most.
  @_noLocks
  mutating func advance(by frames: Int) {
    switch stage {
    case .delay:
      toGo &-= frames
      goOn()
    case .attack:
      toGo &-= frames
      place += rise * Float(frames)
      level = shown
      goOn()
    case .hold:
      toGo &-= frames
      goOn()
    case .decay:
      descend(to: sustain, by: frames)
      if level <= sustain {
        level = sustain
        stage = .sustain
      }
      endWhereSilent()
    case .sustain: endWhereSilent()
    case .release:
      descend(to: 0, by: frames)
      endWhereSilent()
    case .over: break
    }
  }

  /// Advances by `frames` frames across stages.
  @_noLocks
  mutating func advanceFar(by frames: Int) {
    var toGo = frames
    while toGo > 0 {
      let count = min(toGo, longestStep)
      advance(by: count)
      toGo &-= count
    }
  }

  @_noLocks
  private mutating func descend(to end: Float, by frames: Int) {
    let fall = frames == Self.usualStep ? usualFall : fall(frames)
    level = isLoudness ? level * fall : max(end, level - fall)
  }

  @_noLocks
  private mutating func endWhereSilent() {
    guard isLoudness, level <= Self.least * 1.001 else { return }
    level = 0
    stage = .over
  }

  /// Starts the release.
  @_noLocks
  mutating func release() {
    switch stage {
    case .release, .over: return
    case .delay: if isLoudness { level = 0 }
    case .attack, .hold, .decay, .sustain: break
    }
    if isLoudness {
      let depth = isWhole ? Self.depth : rt_log(max(level, Self.least) / Self.least)
      slope = max(depth, 1e-3) / releaseFrames
    } else {
      slope = (isWhole ? 1 : level) / releaseFrames
    }
    usualFall = fall(Self.usualStep)
    stage = .release
    if isLoudness && level <= 0 { stage = .over }
  }
}
