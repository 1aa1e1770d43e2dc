internal import DSP

/// A loop: one clip that is recorded, played, and added to.
struct Loop: ~Copyable {
  static var openSeconds: Double { @_noLocks get { 0.001 } }
  static var closeSeconds: Double { @_noLocks get { 0.005 } }
  static var skipSeconds: Double { @_noLocks get { 10 } }

  /// The activity after a recording.
  enum After: BitwiseCopyable {
    case play, overdub, stop
  }

  /// The source of the recorder.
  enum Source: BitwiseCopyable {
    case live, grid, mix, harmony

    /// The number of sources.
    static var count: Int { @_noLocks get { 4 } }

    @_noLocks
    init(number: Float) {
      self = number == 0 ? .live : number == 1 ? .grid : number == 3 ? .harmony : .mix
    }

    var number: UInt8 { @_noLocks get { unsafeBitCast(self, to: UInt8.self) } }
  }

  /// The sample rate in Hz.
  let sampleRate: Double
  /// The time that all loops share.
  let time: UnsafeMutablePointer<LoopTime>
  /// The recent past of the live input, the grid, the mix and the harmonies.
  let histories: UnsafeMutablePointer<SourceHistory>
  /// Scratch memory for a segment of sound.
  let piece: Stereo
  /// Scratch memory for the input around a piece of a layer.
  let window: Stereo
  let bank = SincBank()

  var settings = LoopSettings()
  var state = LoopState.standby
  var tape: LoopTape
  var warp: SourceWarp
  /// Scheduled recorder actions, each due when the input of its frame has arrived.
  var cues = RecorderCues()
  /// The action that waits.
  var queued = Queued()
  /// The time of the action that is being performed.
  var moment = Moment()
  var recording = ClipRecording()
  var layer = Layer()
  var playback = Playback()
  /// Where the clip was heard recently.
  var heard: HeardPlaces
  var mute = LoopMute()
  var fade = LoopFade()
  var follow = LoopFollow()
  var pedal = Pedal()
  var keeping = Keeping()
  var transfer = LoopTransfer()
  var walk = PeakWalk()

  /// The latency of the input and of the output, in frames.
  var inputDelay: Int { @_noLocks get { time.pointee.inputDelay } }
  var outputDelay: Int { @_noLocks get { time.pointee.outputDelay } }

  init(
    _ pool: ClipPool, seconds: Double, time: UnsafeMutablePointer<LoopTime>,
    histories: UnsafeMutablePointer<SourceHistory>, piece: Stereo, window: Stereo,
    sampleRate: Double
  ) {
    self.sampleRate = sampleRate
    self.time = time
    self.histories = histories
    self.piece = piece
    self.window = window
    heard = HeardPlaces(sampleRate: sampleRate)
    tape = LoopTape(pool, seconds: seconds, reach: SourceWarp.reach, sampleRate: sampleRate)
    warp = SourceWarp(seconds: seconds, sampleRate: sampleRate, engine: .live)
  }

  @_noLocks
  func frames(_ seconds: Double) -> Int { Int(seconds * sampleRate) }

  // MARK: - Parameters

  @_noLocks
  mutating func set(_ parameter: Parameter.Loop, _ value: Float, at frame: Int64) {
    switch parameter {
    case .source: settings.source = Source(number: value)
    case .loop:
      settings.isLooping = value != 0
      if !playback.isOnce { tape.setLooping(settings.isLooping) }
    case .direction: turn(backward: value < 0, at: frame)
    case .feedback: settings.feedback = value
    case .quantize:
      settings.quantum = value == 0 ? nil : value == 1 ? .beat : value == 2 ? .bar : .round
    case .beats: settings.beats = value
    case .threshold: settings.threshold = value <= -90 ? 0 : Level.gain(decibels: value)
    case .semitones: warp.setSemitones(value)
    case .rate:
      let former = warp.ownSpeed
      warp.setRate(value)
      endOverdubWhereMoved(from: former, at: frame)
    case .speed:
      let former = warp.ownSpeed
      warp.setTapeSpeed(value)
      endOverdubWhereMoved(from: former, at: frame)
    case .follow: setFollow(FollowMode(number: value), at: frame)
    case .stopAt: settings.stopAt = StopTime(number: value)
    case .engine: if let engine = WarpEngine(number: value) { warp.setEngine(engine) }
    case .mute: mute.set(value != 0, frames: framesOfMute)
    case .after: settings.after = value == 0 ? .play : value == 1 ? .overdub : .stop
    case .long: pedal.long = PedalMeaning(number: value)
    case .double: pedal.double = PedalMeaning(number: value)
    // Set in the strip, and for all loops.
    case .gain, .pan, .route, .solo: break
    }
    planStopAgain(at: frame)
  }

  // The end of the cycle moves with the speed.
  @_noLocks
  private mutating func planStopAgain(at frame: Int64) {
    if case .some(.stop) = queued.action { planAgain(at: frame) }
  }

  /// Notes that other loops are soloed, or no longer.
  @_noLocks
  mutating func silence(_ isSilenced: Bool) { mute.silence(isSilenced, frames: framesOfMute) }

  // While the loop is inaudible, a fade would continue at the next start.
  private var framesOfMute: Int {
    @_noLocks get { playback.gate.isClosed ? 0 : frames(Self.closeSeconds) }
  }

  /// Applies pitch and stretch of the chain, if the loop is routed through it.
  @_noLocks
  mutating func follow(_ chain: ChainWarp, at frame: Int64) {
    let former = warp.ownSpeed
    warp.follow(chain)
    endOverdubWhereMoved(from: former, at: frame)
    planStopAgain(at: frame)
  }

  /// Sets whether the loop is routed through the chain.
  @_noLocks
  mutating func setThroughChain(_ value: Bool, at frame: Int64) {
    let former = warp.ownSpeed
    warp.setThroughChain(value)
    endOverdubWhereMoved(from: former, at: frame)
    planStopAgain(at: frame)
  }

  /// Whether the loop plays at another speed than it was recorded at.
  var isMoved: Bool { @_noLocks get { warp.isMoved } }

  // The position in the clip that belongs to a time of the input would be unknown.
  @_noLocks
  private mutating func endOverdubWhereMoved(from former: Float, at frame: Int64) {
    if warp.ownSpeed != former { endLayerUnasked(at: frame) }
  }

  /// Sets the direction, once the layer has ended.
  @_noLocks
  mutating func turn(backward: Bool, at frame: Int64) {
    if backward == playback.isBackward { return }
    playback.isBackward = backward
    follow.forget()
    if !layer.isOn && !tape.isOverdubbing {
      tape.setBackward(backward)
      return
    }
    endLayerUnasked(at: frame)
    cues.add(.turn, at: frame &+ Int64(layer.delay &+ tape.seam &+ 1))
  }
}
