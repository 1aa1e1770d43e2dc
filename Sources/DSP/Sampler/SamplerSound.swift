internal import CRealtime

/// One side of a level of a sound: its samples, and those half-way between each and the next.
struct SoundSide: BitwiseCopyable {
  let samples: UnsafeRawPointer
  let halves: UnsafeRawPointer
  /// Whether they are integers of 16 bits, and not floats.
  let isCompact: Bool

  @_noLocks
  init(samples: UnsafeRawPointer, halves: UnsafeRawPointer, isCompact: Bool) {
    self.samples = samples
    self.halves = halves
    self.isCompact = isCompact
  }
}

/// Both sides of what is read of a sound.
struct SoundPart: BitwiseCopyable {
  let left: SoundSide
  /// The left side again where there is one alone.
  let right: SoundSide
  /// 1 where it is read at half the speed: its samples are every other one, with those between.
  let halving: Int64

  init(_ sides: [SoundSide], halving: Int64 = 0) {
    left = sides[0]
    right = sides[sides.count - 1]
    self.halving = halving
  }
}

/// A level of a sound: what is left of it without what folds back at some speeds.
struct SoundLevel: BitwiseCopyable {
  let part: SoundPart
  /// The place from which on the first level, or the rest, says the same; with 32 binary places.
  let end: Int64
}

/// The rest of a sound, of which only the lower half of the spectrum is left.
///
/// There the samples are as dense as a reader wants, and none half-way between them are needed.
struct SoundRest: BitwiseCopyable {
  let part: SoundPart
  /// The place where it begins; with 32 binary places.
  let start: Int64
}

/// A sound as the audio thread reads it: silence before it, and behind it silence or its loop.
///
/// There are as many levels of it as it is ever read fast: what is read faster than it was
/// recorded has lost what would fold back.
struct SamplerSound: BitwiseCopyable {
  /// How far a reader sees to either side, in samples, with what half-way samples and levels saw
  /// when they were made.
  static var reach: Int { @_noLocks get { 8 + 48 + 80 + 8 } }
  /// The most samples that are read a frame.
  static var fastest: Int { @_noLocks get { 16 } }
  /// How far beyond the limit a step may go, in samples; a reader rounds up to fours of frames.
  static var span: Int { @_noLocks get { (VoiceEnvelope.usualStep + 4) * fastest } }
  // At the first level only that folds back which lands above 21 kHz at 48 kHz.
  private static var speedOfFirst: Float { @_noLocks get { 1.125 } }
  // Each next one is for speeds a third higher: at its slowest it leaves all up to 18 kHz.
  private static var ratioOfLevels: Float { @_noLocks get { 1.3 } }

  /// The place where it is over, or goes back by a loop's length; with 32 binary places.
  let limit: Int64
  /// The length of the loop, with 32 binary places; 0 where there is none.
  let loopLength: Int64
  let isStereo: Bool
  /// The gain that makes of its numbers what was recorded.
  let gain: Float
  /// The part that is read at half the speed; nil where there is none.
  private let rest: SoundRest?
  private let count: Int
  private let levels: UnsafePointer<SoundLevel>

  init(
    levels: UnsafePointer<SoundLevel>, count: Int, rest: SoundRest? = nil, isStereo: Bool,
    gain: Float, limit: Int64, loopLength: Int64
  ) {
    self.levels = levels
    self.count = count
    self.rest = rest
    self.isStereo = isStereo
    self.gain = gain
    self.limit = limit
    self.loopLength = loopLength
  }

  /// The level for a speed, in samples a frame.
  @_noLocks
  func level(forSpeed speed: Float) -> Int { min(Self.level(forSpeed: speed), count &- 1) }

  /// The level for a speed of a sound that has them all.
  @_noLocks
  static func level(forSpeed speed: Float) -> Int {
    var (level, top) = (0, speedOfFirst)
    while speed > top && top < Float(fastest) {
      level &+= 1
      top *= ratioOfLevels
    }
    return level
  }

  /// The part of the sample rate above which a level has nothing; `level` is 1 at least.
  static func edge(ofLevel level: Int) -> Double {
    var top = Double(speedOfFirst)
    for _ in 0..<level { top *= Double(ratioOfLevels) }
    return Double(speedOfFirst) / 2 / top
  }

  /// What is read of a level from a place on, with 32 binary places.
  @_noLocks
  func part(level: Int, at position: Int64) -> SoundPart {
    let wanted = levels[level]
    if position < wanted.end { return wanted.part }
    if let rest, position >= rest.start { return rest.part }
    return levels[0].part
  }
}
