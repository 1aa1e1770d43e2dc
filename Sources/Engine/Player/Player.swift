internal import DSP

/// The player: one clip that is recorded, played, and added to.
struct Player: ~Copyable {
  static var clipSeconds: Double { @_noLocks get { 10 } }
  // More than the longest piece that an engine looks at at once, at 192 kHz.
  static var reach: Int { @_noLocks get { 16_384 } }
  static var openSeconds: Double { @_noLocks get { 0.001 } }
  static var closeSeconds: Double { @_noLocks get { 0.005 } }
  static var skipSeconds: Double { @_noLocks get { 10 } }

  /// What the recorder hears.
  enum Source: BitwiseCopyable {
    case live, grid, mix
  }

  let sampleRate: Double
  var state = PlayerState.standby
  var tape: LoopTape
  var warp: Warp
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
  // Where the clip was at the beginning of the present stretch.
  var placeBefore = 0
  // By how much what is added is late, as it was when that began; and where it goes on.
  var delayOfOverdub = 0
  var placeOfOverdub = 0

  /// By how many frames what the input brings is late, and what the output says.
  var inputDelay = 0
  var outputDelay = 0

  private var semitones: Float = 0
  private var rate: Float = 1
  private var chain = ChainTurn()
  private var isBypassed = false
  private(set) var isThroughChain = true
  private(set) var isMoved = false
  // The rate that all that turns it comes to.
  private(set) var speed: Float = 1

  /// What the chain does to pitch and time of all that goes through it.
  private struct ChainTurn: BitwiseCopyable {
    var isPitchOn = true
    var semitones: Float = 0
    var formant: Float = 0
    var isStretchOn = true
    var rate: Float = 1

    @_noLocks
    init() {}
  }

  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    tape = LoopTape(seconds: Self.clipSeconds, reach: Self.reach, sampleRate: sampleRate)
    warp = Warp(seconds: Self.clipSeconds, sampleRate: sampleRate)
    beats = BeatClock(sampleRate: sampleRate)
  }

  @_noLocks
  func frames(_ seconds: Double) -> Int { Int(seconds * sampleRate) }

  // MARK: - Parameters

  @_noLocks
  mutating func set(_ parameter: Parameter, _ value: Float, at frame: Int64) {
    switch parameter {
    case .loopSemitones: semitones = value
    case .loopRate: rate = value
    case .loopEngine:
      warp.setEngine(value == 0 ? .live : value == 1 ? .voice : .studio)
    case .loopFeedback: feedback = value
    case .loopQuantize: quantum = value == 0 ? nil : value == 1 ? .beat : .bar
    case .loopBeats: fixedBeats = value
    case .loopTempo: setsTempo = value != 0
    case .loopThreshold: threshold = value <= -90 ? 0 : Level.gain(decibels: value)
    case .playerSource: source = value == 0 ? .live : value == 1 ? .grid : .mix
    case .playerLoop: tape.setLooping(value != 0)
    case .playerDirection: turn(backward: value < 0, at: frame)
    case .tempo:
      let waiting = barsWaiting(at: frame)
      beats.setTempo(value, at: frame)
      planAgain(after: waiting, at: frame)
    case .metronomeBeats:
      let waiting = barsWaiting(at: frame)
      beats.setBeatsPerBar(Int(value))
      planAgain(after: waiting, at: frame)
    case .metronomeCountIn: countInBars = Int(value)
    case .transportFollow: if value == 0 { beats.follow() }
    case .pitchOn: chain.isPitchOn = value != 0
    case .pitchSemitones: chain.semitones = value
    case .pitchFormant: chain.formant = value
    case .stretchOn: chain.isStretchOn = value != 0
    case .stretchRate: chain.rate = value
    case .chainBypass: isBypassed = value != 0
    case .loopRoute: isThroughChain = value == 0
    default: return
    }
    move(at: frame)
  }

  /// Goes the other way, when what is added has come to its end.
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

  /// Takes over what pitch and rate come to.
  @_noLocks
  mutating func move(at frame: Int64) {
    let turned = isThroughChain && !isBypassed
    let pitch = semitones + (turned && chain.isPitchOn ? chain.semitones : 0)
    let speed = rate * (turned && chain.isStretchOn ? chain.rate : 1)
    warp.setPitch(semitones: max(-24, min(pitch, 24)))
    warp.setFormant(semitones: turned && chain.isPitchOn ? chain.formant : 0)
    self.speed = max(0.25, min(speed, 4))
    warp.setRate(self.speed)
    let wasMoved = isMoved
    isMoved = speed != 1
    if isMoved && !wasMoved { endOverdub(at: frame) }
  }
}
