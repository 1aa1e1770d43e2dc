/// The history of the power that entered the lines, for white noise of power 1, one value per step.
///
/// The matrix distributes power evenly, so one value serves all lines. Only the values since the
/// last change are stored; before it, the power was the one at rest.
struct ReverbPowers: ~Copyable, @unchecked Sendable {
  private let buffers = Buffers()
  private let memory: UnsafeMutablePointer<Float>
  private let mask: Int
  private let stepsPerFrame: Float
  private var written = 0
  private var resting: Float = 0

  /// Creates a history for lines of up to `frames` frames, in steps of `step` frames.
  init(frames: Int, step: Int) {
    let capacity = Int.powerOfTwo(atLeast: frames / step + 2)
    mask = capacity - 1
    stepsPerFrame = 1 / Float(step)
    memory = buffers.floats(capacity)
  }

  /// Converts a delay to steps, at least one.
  @_noLocks
  func steps(_ frames: Float) -> Int { max(1, Int(frames * stepsPerFrame + 0.5)) }

  /// Clears the history to a constant power.
  @_noLocks
  mutating func rest(at power: Float) {
    resting = power
    written = 0
  }

  /// Returns the power that entered the lines `framesAgo` frames ago.
  @_noLocks
  func entered(framesAgo: Float) -> Float {
    let steps = steps(framesAgo)
    return steps > written ? resting : memory[(written &- steps) & mask]
  }

  /// Stores the power that enters in the current step.
  @_noLocks
  mutating func write(_ power: Float) {
    memory[written & mask] = power
    written &+= 1
  }
}
