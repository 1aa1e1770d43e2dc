/// The MIDI clock that is received: its tempo, and its position in beats.
struct MIDIClock: BitwiseCopyable {
  private static var ticksPerBeat: Double { @_noLocks get { 24 } }
  // The unit of Song Position: sixteenths.
  private static var ticksPerSixteenth: Int64 { @_noLocks get { 6 } }
  // Two beats: phase and tempo are known within a millisecond.
  private static var ticksToLock: Int { @_noLocks get { 48 } }
  // Without a tick for this long, in beats, the clock has stopped.
  private static var longestPause: Double { @_noLocks get { 1 } }

  private var ticks: TickFilter
  private let sampleRate: Double
  // The number of the tick at position 0.
  private var origin: Int64 = 0
  // Where it continues at the next tick, in ticks.
  private var next: Int64?
  // Where it was stopped, in ticks.
  private var stopped: Int64 = 0
  /// Whether the position is known: since a Start or Continue, as long as no tick was missed.
  private(set) var hasPosition = false
  /// Whether it runs: since a Start or Continue, until a Stop.
  private(set) var isRunning = false
  /// Whether the position has jumped since it was last read.
  private(set) var hasJumped = false

  @_noLocks
  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    ticks = TickFilter(sampleRate: sampleRate)
  }

  /// Handles a message at a time in frames.
  @_noLocks
  mutating func receive(_ event: MIDIEvent, at frame: Double) {
    switch event.status {
    case 0xF8: tick(at: frame)
    case 0xFA: start(at: 0)
    case 0xFB: start(at: isRunning ? position : next ?? stopped)
    case 0xFC:
      if isRunning { stopped = position }
      isRunning = false
      next = nil
    case 0xF2:
      let place = Int64(event.second & 127) << 7 | Int64(event.first & 127)
      if isRunning {
        start(at: place &* Self.ticksPerSixteenth)
      } else {
        stopped = place &* Self.ticksPerSixteenth
      }
    default: break
    }
  }

  @_noLocks
  private mutating func start(at place: Int64) {
    next = place
    isRunning = true
  }

  @_noLocks
  private mutating func tick(at frame: Double) {
    if ticks.hasStarted, isPaused(at: frame) {
      // It has lost count of the beats.
      hasPosition = false
    }
    ticks.add(frame)
    guard let place = next else { return }
    next = nil
    origin = ticks.latestNumber &- place
    hasPosition = true
    hasJumped = true
  }

  // The position of the next tick.
  private var position: Int64 {
    @_noLocks get { hasPosition ? ticks.latestNumber &+ 1 &- origin : stopped }
  }

  /// Whether no tick is received at a time in frames.
  @_noLocks
  func isPaused(at frame: Double) -> Bool {
    !ticks.hasStarted || frame - ticks.latestTick > Self.longestPause * framesPerBeat
  }

  /// Whether the tempo is known.
  var hasTempo: Bool { @_noLocks get { ticks.hasStarted && ticks.memory > 2 } }

  /// Whether the phase is known within a millisecond, at a time in frames.
  @_noLocks
  func isLocked(at frame: Double) -> Bool {
    ticks.memory >= Self.ticksToLock && !isPaused(at: frame)
  }

  /// The expected error of the phase in frames: one standard deviation.
  var uncertainty: Double { @_noLocks get { ticks.uncertainty } }

  /// The length of a beat in frames.
  var framesPerBeat: Double { @_noLocks get { ticks.period * Self.ticksPerBeat } }

  /// The position at a time in frames, and whether it has jumped since the last call; before the tempo is
  /// known, at the present one.
  @_noLocks
  mutating func read(at frame: Double, presentFramesPerBeat present: Double) -> ClockPosition {
    defer { hasJumped = false }
    let framesPerBeat = hasTempo ? framesPerBeat : present
    let time = hasTempo ? ticks.time : ticks.latestTick
    let ticksOfStart = Double((hasTempo ? ticks.number : ticks.latestNumber) &- origin)
    return ClockPosition(
      beats: ticksOfStart / Self.ticksPerBeat + (frame - time) / framesPerBeat,
      framesPerBeat: framesPerBeat, grain: hasPosition ? 0 : 1 / Self.ticksPerBeat,
      isJump: hasJumped)
  }
}

/// The position of a clock that is followed.
struct ClockPosition: BitwiseCopyable {
  /// The elapsed beats since its start.
  var beats: Double
  /// The length of a beat in frames.
  var framesPerBeat: Double
  /// The distance of its marks in beats, if it is not known which is which; 0 if it is.
  var grain: Double
  /// Whether the beats move there at once.
  var isJump: Bool
  /// The least deviation in frames for which they do.
  var leastJump = 0.0
}
