internal import CRealtime

/// One channel of a sound at one level: its samples, and those halfway to the next.
struct SoundSide: BitwiseCopyable {
  let samples: UnsafeRawPointer
  let halves: UnsafeRawPointer
  /// Whether samples are 16-bit integers instead of floats.
  let isCompact: Bool
}

/// Both channels of a part of a sound.
struct SoundPart: BitwiseCopyable {
  let left: SoundSide
  /// For mono, the same as `left`.
  let right: SoundSide
  /// 1 if the part is decimated by two: even samples, and odd ones as the half-way samples.
  ///
  /// Otherwise 0.
  let halving: Int64

  init(_ sides: [SoundSide], halving: Int64 = 0) {
    left = sides[0]
    right = sides[sides.count - 1]
    self.halving = halving
  }
}

/// A low-passed copy of a sound, free of aliasing up to a playback speed, as in a mipmap.
struct SoundLevel: BitwiseCopyable {
  let part: SoundPart
  /// The position, 32.32 fixed-point, from which the first level or the rest is equivalent.
  let end: Int64
}

/// The decimated tail of a sound that has nothing left in the upper half of the spectrum.
///
/// There the samples themselves are twofold oversampled, so no half-way samples are stored.
struct SoundRest: BitwiseCopyable {
  let part: SoundPart
  /// Its first position, 32.32 fixed-point.
  let start: Int64
}

/// A sound in the form the audio thread reads: silence before it, and silence or its loop after it.
///
/// It has a level for each speed range that it is played at; higher levels have less treble, which
/// prevents aliasing.
struct SamplerSound: BitwiseCopyable {
  /// How far a read depends on samples to either side, including the filters for half-way samples
  /// and levels.
  static var reach: Int { @_noLocks get { 8 + 48 + 80 + 8 } }
  /// The highest playback speed, in samples per frame.
  static var fastest: Int { @_noLocks get { 16 } }
  /// How far a step may run past the limit, in samples.
  ///
  /// Reads are rounded up to four frames.
  static var span: Int { @_noLocks get { (VoiceEnvelope.usualStep + 4) * fastest } }
  // At the first level, aliases fall above 21 kHz at a sample rate of 48 kHz.
  private static var speedOfFirst: Float { @_noLocks get { 1.125 } }
  // Each level is for speeds a third higher than the last. At its lowest speed it passes up to 18
  // kHz.
  private static var ratioOfLevels: Float { @_noLocks get { 1.3 } }

  /// The position where the sound ends or jumps back by the loop length, 32.32 fixed-point.
  let limit: Int64
  /// The loop length, 32.32 fixed-point; 0 if there is no loop.
  let loopLength: Int64
  let isStereo: Bool
  /// The gain that restores the recorded level.
  let gain: Float
  /// The decimated part, if any.
  var rest: SoundRest?
  let count: Int
  let levels: UnsafePointer<SoundLevel>

  /// Returns the level for a speed in samples per frame.
  @_noLocks
  func level(forSpeed speed: Float) -> Int { min(Self.level(forSpeed: speed), count &- 1) }

  /// Returns the level for a speed, if all levels exist.
  @_noLocks
  static func level(forSpeed speed: Float) -> Int {
    var (level, top) = (0, speedOfFirst)
    while speed > top && top < Float(fastest) {
      level &+= 1
      top *= ratioOfLevels
    }
    return level
  }

  /// Returns the stopband edge of a level, relative to the sample rate.
  ///
  /// `level` is at least 1.
  static func edge(ofLevel level: Int) -> Double {
    var top = Double(speedOfFirst)
    for _ in 0..<level { top *= Double(ratioOfLevels) }
    return Double(speedOfFirst) / 2 / top
  }

  /// Returns the part to read for a level at a position, 32.32 fixed-point.
  @_noLocks
  func part(level: Int, at position: Int64) -> SoundPart {
    let wanted = levels[level]
    if position < wanted.end { return wanted.part }
    if let rest, position >= rest.start { return rest.part }
    return levels[0].part
  }
}
