internal import DSP

/// The player: one clip that is recorded, played, and added to.
struct Loop: ~Copyable {
  static var openSeconds: Double { @_noLocks get { 0.001 } }
  static var closeSeconds: Double { @_noLocks get { 0.005 } }
  static var skipSeconds: Double { @_noLocks get { 10 } }

  /// The way in which sound is added to the clip.
  enum Addition: BitwiseCopyable {
    case overdub, replace, substitute, multiply, insert
  }

  /// What follows a recording.
  enum After: BitwiseCopyable {
    case play, overdub, stop
  }

  /// The source of the recorder.
  enum Source: BitwiseCopyable {
    case live, grid, mix
  }

  let sampleRate: Double
  var state = LoopState.standby
  var tape: LoopTape
  var warp: SourceWarp
  var gate = Gate()
  /// The time that all loops have in common.
  let time: UnsafeMutablePointer<LoopTime>
  /// What was just to be heard of the live input, the grid and the mix.
  let histories: UnsafeMutablePointer<SourceHistory>
  /// Memory for a piece of sound.
  let piece: Stereo
  var cues = RecorderCues()

  /// The action that waits.
  var queued = Queued()
  var quantum: LoopGrain?
  var fixedBeats: Float = 0
  private(set) var threshold: Float = 0

  // The clip in the making: how long it is by what was asked, and where it ends by itself.
  var clip: Int?
  var clipFrames = 0
  var mostClipFrames = 0
  var clipStart: Int64 = 0
  // When the action that is under way is due exactly, and when the clip was begun; negative where nobody
  // says.
  var exactNow = -1.0
  var exactStart = -1.0
  // Whether the sound itself began it.
  var isTriggered = false
  var isClipTriggered = false
  // Whether what is wanted after a recording follows this one.
  var goesOn = false
  // Where it goes on after a pause.
  var placeOfPause = 0

  var isBackward = false
  private(set) var source = Source.live
  var addition = Addition.overdub
  var wantsOverdub = false
  // When what is added began to be.
  var additionStart: Int64 = 0
  var exactAdditionStart = -1.0
  // Where the clip was then.
  var placeOfGrowth = 0
  /// What follows a recording.
  private(set) var after = After.play
  // Whether it comes round by itself, but for once.
  private(set) var isLooping = true
  var isOnce = false
  /// Whether it goes on unheard, and the gate for that.
  private(set) var isMuted = false
  var muteGate = Gate()
  var pedal = Pedal()
  var keeping = Keeping()
  private(set) var feedback: Float = 1
  var transfer = LoopTransfer()
  var walk = PeakWalk()
  // Where the clip was at the beginning of the present stretch.
  var placeBefore = 0
  // By how much what is added is late, as it was when that began; and where it goes on.
  var delayOfOverdub = 0
  var placeOfOverdub = 0

  /// By how many frames what the input brings is late, and what the output says.
  var inputDelay: Int { @_noLocks get { time.pointee.inputDelay } }
  var outputDelay: Int { @_noLocks get { time.pointee.outputDelay } }

  init(
    _ pool: ClipPool, seconds: Double, time: UnsafeMutablePointer<LoopTime>,
    histories: UnsafeMutablePointer<SourceHistory>, piece: Stereo, sampleRate: Double
  ) {
    self.sampleRate = sampleRate
    self.time = time
    self.histories = histories
    self.piece = piece
    tape = LoopTape(pool, seconds: seconds, reach: SourceWarp.reach, sampleRate: sampleRate)
    warp = SourceWarp(seconds: seconds, sampleRate: sampleRate, engine: .live)
    muteGate.set(open: true)
  }

  @_noLocks
  func frames(_ seconds: Double) -> Int { Int(seconds * sampleRate) }

  // MARK: - Parameters

  @_noLocks
  mutating func set(_ parameter: Parameter.Loop, _ value: Float, at frame: Int64) {
    switch parameter {
    case .source: source = value == 0 ? .live : value == 1 ? .grid : .mix
    case .loop:
      isLooping = value != 0
      if !isOnce { tape.setLooping(isLooping) }
    case .direction: turn(backward: value < 0, at: frame)
    case .feedback: feedback = value
    case .quantize: quantum = value == 0 ? nil : value == 1 ? .beat : value == 2 ? .bar : .round
    case .beats: fixedBeats = value
    case .threshold: threshold = value <= -90 ? 0 : Level.gain(decibels: value)
    case .semitones: warp.setSemitones(value)
    case .rate:
      warp.setRate(value)
      endOverdubWhereMoved(at: frame)
    case .engine: if let engine = WarpEngine(number: value) { warp.setEngine(engine) }
    case .mute:
      isMuted = value != 0
      muteGate.move(open: !isMuted, frames: frames(Self.closeSeconds))
    case .after: after = value == 0 ? .play : value == 1 ? .overdub : .stop
    case .long: pedal.long = PedalMeaning(number: value)
    case .double: pedal.double = PedalMeaning(number: value)
    // The strip's.
    case .gain, .pan, .route: break
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
