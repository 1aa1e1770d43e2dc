internal import DSP

/// The time that all loops have in common.
struct LoopTime: ~Copyable {
  var beats: BeatClock
  var setsTempo = false
  // Only the first clip sets it: whatever comes then follows.
  var hasTempo = false
  /// The tempo that was taken from the first clip, in beats a minute; 0 where none was.
  var tempoFound: Float = 0
  // How many bars are counted before a recording.
  var countInBars = 0
  /// Whether beats are told or heard, and whether another loop goes by them: nobody may move them.
  var isBeatInUse = false
  var isOtherInTime = false
  /// By how many frames what the input brings is late, and what the output says.
  var inputDelay = 0, outputDelay = 0
  /// The times by which presses are judged: of the pedals of loops, and of all triggers.
  var presses: PressTimes
  /// The round that others are as long as, or a multiple of.
  var round = LoopRound()

  init(sampleRate: Double) {
    beats = BeatClock(sampleRate: sampleRate)
    presses = PressTimes(sampleRate: sampleRate)
  }
}

/// The round of the loop that leads: of those that play, the first.
struct LoopRound: BitwiseCopyable {
  /// The length of a round, in frames; 0 where nothing plays.
  var length: Double = 0
  /// When the next one begins, in frames of the engine's time.
  var next: Double = 0

  @_noLocks
  init() {}

  /// The beginning of the first round that is not before a frame, exactly; nil where nothing plays.
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
