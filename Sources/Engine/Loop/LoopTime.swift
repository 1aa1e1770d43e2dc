internal import DSP

/// The time that all loops share.
struct LoopTime: ~Copyable {
  var beats: BeatClock
  /// The beats up to the start of the present block, in which so many frames are rendered.
  var count = BeatCount()
  /// That start, and the one of the block before.
  var blockStart: Int64 = 0
  var formerBlockStart: Int64 = 0
  /// The stretch of a layer.
  var layerWarp: LayerWarp
  var setsTempo = false
  // Only the first clip sets the tempo. Later ones follow it.
  var hasTempo = false
  /// Whether another source has a tempo, which no clip sets.
  var isTempoFollowed = false
  /// Whether the next clip sets the tempo.
  var takesTempo: Bool { @_noLocks get { setsTempo && !hasTempo && !isTempoFollowed } }
  /// The tempo of the first clip in BPM, or 0.
  var tempoFound: Float = 0
  /// How late a press may be for its grain, in seconds.
  var lateness = 0.15
  /// Whether no clip may be lost.
  var isLocked = false
  /// Whether there is an input to record.
  var hasInput = true
  // The bars of the count-in.
  var countInBars = 0
  /// Whether the beats are audible or published, and whether another loop depends on them.
  ///
  /// Then they must not be moved.
  var isBeatInUse = false
  var isOtherInTime = false
  /// The latency of the input and of the output, in frames.
  var inputDelay = 0, outputDelay = 0
  /// The times that distinguish presses, of the pedals of loops and of all triggers.
  var presses: PressTimes
  /// The cycle that others are synchronized to.
  var round = LoopRound()

  init(sampleRate: Double) {
    beats = BeatClock(sampleRate: sampleRate)
    layerWarp = LayerWarp(sampleRate: sampleRate)
    presses = PressTimes(sampleRate: sampleRate)
  }

  /// Takes over the beats of a time at another sample rate; `frame` is the same for both.
  ///
  /// Returns the ratio of the sample rates.
  mutating func adopt(_ former: UnsafeMutablePointer<LoopTime>, at frame: Int64) -> Double {
    let rate = beats.sampleRate
    let ratio = rate / former.pointee.beats.sampleRate
    beats = former.pointee.beats
    beats.setSampleRate(rate, around: frame)
    count = former.pointee.count
    count.convert(by: ratio)
    blockStart = frame
    formerBlockStart = frame
    hasTempo = former.pointee.hasTempo
    tempoFound = former.pointee.tempoFound
    return ratio
  }
}

/// The cycle of the leading loop, which is the first one that plays.
struct LoopRound: BitwiseCopyable {
  /// The length of a cycle in frames, or 0 if no loop plays.
  var length: Double = 0
  /// The start of the next cycle, in frames of the engine's time.
  var next: Double = 0

  @_noLocks
  init() {}

  /// Returns the exact start of the first cycle from a frame on, or nil if no loop plays.
  @_noLocks
  func beginning(from frame: Int64) -> Double? {
    if length <= 0 { return nil }
    var rounds = Int64((Double(frame) - 0.5 - next) / length)
    if rounds < 0 { rounds = 0 }
    var exact = next + Double(rounds) * length
    while Int64(exact + 0.5) < frame { exact += length }
    return exact
  }
}
