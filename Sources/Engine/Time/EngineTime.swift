/// The time of the engine: its count of frames, and its relation to the host's clock.
struct EngineTime: BitwiseCopyable {
  /// The start of a block.
  enum Start: BitwiseCopyable {
    /// The first block of a driver, on a timeline of its own.
    case newDriver(Handover)
    /// The next block of the same driver, `gap` frames after the end of the last one: those that an xrun has lost.
    case next(gap: Int64)
  }

  private static var longestGapSeconds: Double { @_noLocks get { 1e6 } }

  private var timeline = Timeline()
  private var clock: ClockFilter
  private(set) var isNewDriver = true
  /// The next frame to be rendered.
  private(set) var present: Int64 = 0
  /// The sample rate, in Hz.
  private(set) var sampleRate: Double
  // The end of the last block of the former driver, in microseconds of the host's steady clock; negative if
  // that is unknown. And the ratio of the present sample rate to that driver's.
  private var formerEnd = -1.0
  private var ratio = 1.0
  private var wasFreewheeling = false

  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    clock = ClockFilter(sampleRate: sampleRate)
  }

  /// The first frame of the block.
  var blockStart: Int64 { @_noLocks get { timeline.frame } }

  /// Prepares for a new driver at a sample rate in Hz.
  mutating func setDriver(sampleRate: Double) {
    if !isNewDriver {
      formerEnd = wasFreewheeling ? -1 : clock.reading.microseconds(at: present)
      ratio = 1
    }
    ratio *= sampleRate / self.sampleRate
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
      _ = timeline.begin(at: cycle.frame)
      let passed = cycle.isFreewheeling ? 0 : framesPassed(by: cycle.microseconds)
      start = .newDriver(
        Handover(end: end, start: timeline.frame &- passed, passed: passed, ratio: ratio))
      isNewDriver = false
    } else {
      _ = timeline.advance(to: cycle.frame, from: end)
      start = .next(gap: timeline.frame &- end)
    }
    present = timeline.frame
    wasFreewheeling = cycle.isFreewheeling
    if !cycle.isFreewheeling {
      clock.update(frame: timeline.frame, microseconds: cycle.microseconds)
    }
    return start
  }

  // The number of frames from the end of the former driver to a time.
  @_noLocks
  private func framesPassed(by microseconds: Double) -> Int64 {
    let seconds = formerEnd < 0 ? 0 : (microseconds - formerEnd) / 1e6
    guard seconds > 0, seconds < Self.longestGapSeconds else { return 0 }
    return Int64(seconds * sampleRate + 0.5)
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
