internal import DSP

/// The player: one clip that is recorded, played, and added to.
struct Player: ~Copyable {
  static var openSeconds: Double { @_noLocks get { 0.001 } }
  static var closeSeconds: Double { @_noLocks get { 0.005 } }
  static var skipSeconds: Double { @_noLocks get { 10 } }

  /// The source of the recorder.
  enum Source: BitwiseCopyable {
    case live, grid, mix
  }

  let sampleRate: Double
  var state = PlayerState.standby
  var tape: LoopTape
  var warp: SourceWarp
  var gate = Gate()
  var beats: BeatClock
  var cues = RecorderCues()

  // What waits: for a frame, or for the input to be loud enough.
  var pending: PlayerAction?
  var pendingFrame = Int64.max
  var quantum: BeatClock.Grid?
  var fixedBeats: Float = 0
  var setsTempo = false
  // Only the first clip sets it: whatever comes then follows.
  var hasTempo = false
  /// The tempo that was taken from the first clip, in beats a minute; 0 where none was.
  var tempoFound: Float = 0
  private(set) var threshold: Float = 0
  // How many bars are counted before a recording, and where that began.
  private(set) var countInBars = 0
  var countInStart = Int64.max
  /// Whether beats are told or heard that nobody may move.
  var isBeatInUse = false

  // The clip in the making: how long it is by what was asked, and where it ends by itself.
  var clip: Int?
  var clipFrames = 0
  var mostClipFrames = 0
  var clipStart: Int64 = 0
  // Whether the sound itself began it.
  var isTriggered = false
  var isClipTriggered = false
  // Where it goes on after a pause.
  var placeOfPause = 0

  var isBackward = false
  private(set) var source = Source.live
  var isReplacing = false
  var wantsOverdub = false
  private(set) var feedback: Float = 1
  var transfer = LoopTransfer()
  var walk = PeakWalk()
  // Where the clip was at the beginning of the present stretch.
  var placeBefore = 0
  // By how much what is added is late, as it was when that began; and where it goes on.
  var delayOfOverdub = 0
  var placeOfOverdub = 0

  /// By how many frames what the input brings is late, and what the output says.
  var inputDelay = 0
  var outputDelay = 0

  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    tape = LoopTape(seconds: ClipLength.seconds, reach: SourceWarp.reach, sampleRate: sampleRate)
    warp = SourceWarp(seconds: ClipLength.seconds, sampleRate: sampleRate, engine: .live)
    beats = BeatClock(sampleRate: sampleRate)
  }

  @_noLocks
  func frames(_ seconds: Double) -> Int { Int(seconds * sampleRate) }

  // MARK: - Parameters

  @_noLocks
  mutating func set(_ parameter: Parameter.Loop, _ value: Float, at frame: Int64) {
    switch parameter {
    case .source: source = value == 0 ? .live : value == 1 ? .grid : .mix
    case .loop: tape.setLooping(value != 0)
    case .direction: turn(backward: value < 0, at: frame)
    case .feedback: feedback = value
    case .quantize: quantum = value == 0 ? nil : value == 1 ? .beat : .bar
    case .beats: fixedBeats = value
    case .tempo: setsTempo = value != 0
    case .threshold: threshold = value <= -90 ? 0 : Level.gain(decibels: value)
    case .semitones: warp.setSemitones(value)
    case .rate:
      warp.setRate(value)
      endOverdubWhereMoved(at: frame)
    case .engine: if let engine = WarpEngine(number: value) { warp.setEngine(engine) }
    }
  }

  @_noLocks
  mutating func set(_ parameter: Parameter.Beat, _ value: Float, at frame: Int64) {
    switch parameter {
    case .tempo:
      let waiting = barsWaiting(at: frame)
      beats.setTempo(value, at: frame)
      planAgain(after: waiting, at: frame)
    case .beatsPerBar:
      let waiting = barsWaiting(at: frame)
      beats.setBeatsPerBar(Int(value))
      planAgain(after: waiting, at: frame)
    case .transportFollow: if value == 0 { beats.follow() }
    case .countIn: countInBars = Int(value)
    }
  }

  /// Goes by the pitch and stretch of the chain, where the loop goes through that.
  @_noLocks
  mutating func follow(_ chain: ChainWarp, at frame: Int64) {
    warp.follow(chain)
    endOverdubWhereMoved(at: frame)
  }

  /// Sets whether the loop goes through the chain.
  @_noLocks
  mutating func setThroughChain(_ value: Bool, at frame: Int64) {
    warp.setThroughChain(value)
    endOverdubWhereMoved(at: frame)
  }

  /// Whether the loop plays at another rate than it was recorded at.
  var isMoved: Bool { @_noLocks get { warp.speed != 1 } }

  @_noLocks
  private mutating func endOverdubWhereMoved(at frame: Int64) {
    if isMoved { endOverdub(at: frame) }
  }

  /// Sets the direction, when an overdub has come to its end.
  @_noLocks
  mutating func turn(backward: Bool, at frame: Int64) {
    if backward == isBackward { return }
    isBackward = backward
    if !wantsOverdub && !tape.isOverdubbing {
      tape.setBackward(backward)
      return
    }
    endOverdub(at: frame)
    cues.add(.turn, at: frame &+ Int64(delayOfOverdub &+ tape.seam &+ 1))
  }
}
