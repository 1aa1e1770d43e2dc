/// The time of the engine: its count of frames, and its relation to the host's clock.
struct EngineTime: BitwiseCopyable {
  /// The start of a block.
  enum Start: BitwiseCopyable {
    /// The first block of a driver: the timeline jumped by `shift` frames, and the new block starts `gap`
    /// frames after the end of the last one.
    case newDriver(shift: Int64, gap: Int64)
    /// The next block of the same driver, `gap` frames after the end of the last one: those that an xrun has lost.
    case next(gap: Int64)
  }

  private var timeline = Timeline()
  private var clock: ClockFilter
  private(set) var isNewDriver = true
  /// The next frame to be rendered.
  private(set) var present: Int64 = 0
  /// The sample rate, in Hz.
  private(set) var sampleRate: Double

  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    clock = ClockFilter(sampleRate: sampleRate)
  }

  /// The first frame of the block.
  var blockStart: Int64 { @_noLocks get { timeline.frame } }

  /// Prepares for a new driver at a sample rate in Hz.
  mutating func setDriver(sampleRate: Double) {
    self.sampleRate = sampleRate
    clock = ClockFilter(sampleRate: sampleRate)
    isNewDriver = true
  }

  /// Starts a block.
  @_noLocks
  mutating func startBlock(_ cycle: Cycle) -> Start {
    let end = present
    let start: Start
    if isNewDriver {
      let shift = timeline.begin(at: cycle.frame)
      start = .newDriver(shift: shift, gap: timeline.frame &- end)
      isNewDriver = false
    } else {
      _ = timeline.advance(to: cycle.frame, from: end)
      start = .next(gap: timeline.frame &- end)
    }
    present = timeline.frame
    if !cycle.isFreewheeling {
      clock.update(frame: timeline.frame, microseconds: cycle.microseconds)
    }
    return start
  }

  /// Moves to a frame of the block, counted from its first.
  @_noLocks
  mutating func move(to frame: Int) { present = timeline.frame &+ Int64(frame) }

  /// The relation of frames and time: filtered, or at the nominal rate while frames don't follow the clock.
  @_noLocks
  func reading(isNominal: Bool) -> ClockReading {
    isNominal ? clock.nominalReading(at: timeline.frame) : clock.reading
  }
}
