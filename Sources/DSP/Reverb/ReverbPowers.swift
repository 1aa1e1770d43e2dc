/// The power of steady white noise of power 1 in the lines, a value a step.
///
/// The matrix shares all power out evenly, so that what enters is the same for all lines. Only
/// what was written since something began to move is kept: before, it was what it was at rest.
struct ReverbPowers: ~Copyable, @unchecked Sendable {
  private let memory: UnsafeMutablePointer<Float>
  private let mask: Int
  private let stepsPerFrame: Float
  private var written = 0
  private var resting: Float = 0

  /// Room for lines of up to `frames` frames, in steps of `step` frames.
  init(frames: Int, step: Int) {
    var capacity = 2
    while capacity < frames / step + 2 { capacity *= 2 }
    mask = capacity - 1
    stepsPerFrame = 1 / Float(step)
    memory = .allocate(capacity: capacity)
    memory.initialize(repeating: 0, count: capacity)
  }

  deinit { memory.deallocate() }

  /// Counts the steps of a delay, at least one.
  @_noLocks
  func steps(_ frames: Float) -> Int { max(1, Int(frames * stepsPerFrame + 0.5)) }

  /// Forgets all but the power at which everything rests.
  @_noLocks
  mutating func rest(at power: Float) {
    resting = power
    written = 0
  }

  /// The power that entered the lines so many frames ago.
  @_noLocks
  func entered(framesAgo: Float) -> Float {
    let steps = steps(framesAgo)
    return steps > written ? resting : memory[(written &- steps) & mask]
  }

  /// Keeps the power that enters in the step at hand.
  @_noLocks
  mutating func write(_ power: Float) {
    memory[written & mask] = power
    written &+= 1
  }
}
