/// A delay-locked loop that derives the time of every frame from the jittery times of the blocks.
///
/// The second-order loop of Fons Adriaensen, "Using a DLL to filter time" (Linux Audio Conference 2005),
/// with the period counted in frames, so that xruns and a changed period don't disturb it.
package struct ClockFilter: BitwiseCopyable {
  // A wide bandwidth at first, to converge within seconds; then a narrow one, against jitter.
  private static var widestHertz: Double { @_noLocks get { 2 } }
  private static var narrowestHertz: Double { @_noLocks get { 0.1 } }
  // An error that stays above this is no jitter: frames were lost. How many blocks it must stay.
  private static var lostMicroseconds: Double { @_noLocks get { 1000 } }
  private static var lostBlocks: Int { @_noLocks get { 8 } }
  // A larger error is no jitter: the clock was set, or the machine slept.
  private static var jumpMicroseconds: Double { @_noLocks get { 100_000 } }

  private var frame: Int64 = 0
  private var microseconds: Double = 0
  private var microsecondsPerFrame: Double
  private let nominal: Double
  private var bandwidth: Double
  private var started = false
  // The number of blocks for which the error has been that of lost frames: positive if they are late.
  private var lost = 0

  /// A loop for a nominal sample rate.
  @_noLocks
  package init(sampleRate: Double) {
    nominal = 1_000_000 / sampleRate
    bandwidth = Self.widestHertz
    microsecondsPerFrame = nominal
  }

  /// Updates the loop with the due time of the block that starts at `frame`.
  @_noLocks
  package mutating func update(frame: Int64, microseconds measured: Double) {
    let frames = Double(frame &- self.frame)
    let predicted = microseconds + frames * microsecondsPerFrame
    let error = measured - predicted
    guard started, frames > 0, abs(error) < Self.jumpMicroseconds else {
      self.frame = frame
      microseconds = measured
      microsecondsPerFrame = nominal
      bandwidth = Self.widestHertz
      started = true
      return
    }
    lost =
      abs(error) < Self.lostMicroseconds ? 0 : error > 0 ? max(0, lost) &+ 1 : min(0, lost) &- 1
    if abs(lost) == Self.lostBlocks { bandwidth = Self.widestHertz }
    // At most a radian per step, for stability.
    let omega = min(0.5, 2 * 3.141_592_653_589_793 * bandwidth * frames * nominal * 1e-6)
    self.frame = frame
    microseconds = predicted + 1.414_213_562_373_095 * omega * error
    // No crystal is off by a thousandth: more than that is jitter, and is not followed.
    let slope = microsecondsPerFrame + omega * omega * error / frames
    microsecondsPerFrame = min(max(slope, nominal * 0.999), nominal * 1.001)
    bandwidth = max(Self.narrowestHertz, bandwidth * (1 - frames * nominal * 1e-6))
  }

  /// The present filtered relation of frames and time.
  package var reading: ClockReading {
    @_noLocks get {
      ClockReading(
        frame: frame, microseconds: microseconds, microsecondsPerFrame: microsecondsPerFrame)
    }
  }

  /// The relation at the nominal rate, while frames do not follow the clock.
  @_noLocks
  package func nominalReading(at present: Int64) -> ClockReading {
    ClockReading(
      frame: present, microseconds: microseconds + Double(present &- frame) * nominal,
      microsecondsPerFrame: nominal)
  }
}

/// A relation of frames and time: a point and a slope.
package struct ClockReading: BitwiseCopyable, Sendable {
  /// A frame in the engine's time.
  package var frame: Int64
  /// The start of that frame, in microseconds of the host's steady clock.
  package var microseconds: Double
  /// The length of a frame in microseconds.
  package var microsecondsPerFrame: Double

  /// The start of a frame, in microseconds of the host's steady clock.
  package func microseconds(at frame: Int64) -> Double {
    microseconds + Double(frame - self.frame) * microsecondsPerFrame
  }

  /// The frame that starts nearest to a time in microseconds of the host's steady clock.
  package func frame(at microseconds: Double) -> Int64 {
    let frames = ((microseconds - self.microseconds) / microsecondsPerFrame).rounded()
    return frame + Int64(min(max(frames, -9e15), 9e15))
  }
}
