internal import CRealtime

/// A smoothed parameter like `Glide`, computed eight frames at a time.
///
/// Two equal cascaded one-pole low-passes in closed form: after `k` frames the remaining distance
/// is q^k (toGo + k c first). The value never overshoots. It is recomputed only while it moves.
struct GlideCurve: BitwiseCopyable {
  // Slower than the default of `Glide`: the echo can afford it, and low notes bend less.
  private static let seconds: Float = 0.01
  // Distance at which the value snaps to its target: -120 dB of full scale.
  private static let near: Float = 1e-6

  /// The values of the last prepared piece.
  let values: UnsafeMutablePointer<Float>
  /// The target of the value.
  private(set) var target: Float

  // The remaining distances at the start of the current group of eight frames, and how many of
  // those have passed.
  private var firstToGo: Float = 0
  private var toGo: Float = 0
  private var passed = 0
  private var isFilled = false

  // q^k and k c q^k for k from 1 to 8.
  private var decay = SIMD8<Float>(repeating: 0)
  private var pull = SIMD8<Float>(repeating: 0)

  /// Creates a parameter at rest at `value`.
  ///
  /// `values` needs room for eight more values on both sides.
  @_noLocks
  init(at value: Float, sampleRate: Float, values: UnsafeMutablePointer<Float>) {
    target = value
    self.values = values
    let step = 1 / (Self.seconds * sampleRate)
    for index in 0..<8 {
      let frames = Float(index &+ 1)
      decay[index] = rt_exp(-step * frames)
      pull[index] = (1 - rt_exp(-step)) * frames * decay[index]
    }
  }

  /// Whether the value still differs from its target.
  var isMoving: Bool { @_noLocks get { toGo != 0 || firstToGo != 0 } }

  /// Sets the target.
  @_noLocks
  mutating func move(to value: Float) {
    if value == target { return }
    if passed > 0 { goOn(frames: passed) }
    passed = 0
    firstToGo += target - value
    toGo += target - value
    target = value
    isFilled = false
  }

  /// Jumps to `value` without smoothing.
  @_noLocks
  mutating func jump(to value: Float) {
    target = value
    firstToGo = 0
    toGo = 0
    passed = 0
    isFilled = false
  }

  /// Jumps to the target.
  @_noLocks
  mutating func settle() { jump(to: target) }

  /// Advances the start of the current group by one to eight frames.
  @_noLocks
  private mutating func goOn(frames: Int) {
    toGo = decay[frames &- 1] * toGo + pull[frames &- 1] * firstToGo
    firstToGo *= decay[frames &- 1]
    if abs(firstToGo) < Self.near && abs(toGo) < Self.near {
      firstToGo = 0
      toGo = 0
    }
  }

  /// Computes the values of the next `frames` frames.
  @_noLocks
  mutating func prepare(frames: Int) {
    if isFilled { return }
    if !isMoving {
      for frame in 0..<EchoPiece.longest { values[frame] = target }
      passed = 0
      isFilled = true
      return
    }
    var start = 0 &- passed
    while start < frames {
      let eight = target + (decay * toGo + pull * firstToGo)
      values.setEight(at: start, eight)
      if start &+ 8 > frames {
        passed = frames &- start
        return
      }
      goOn(frames: 8)
      start &+= 8
    }
    passed = 0
  }
}
