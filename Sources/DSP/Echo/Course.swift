internal import CRealtime

/// A value that moves to its target as `Glide` does, made eight frames at a time.
///
/// Two equal one-pole low-passes in a row, in closed form: `k` frames on, what is to go is
/// q^k (toGo + k c first). It never leaves the range between where it was and where it goes. Its
/// values are made anew only while it moves.
struct Course: BitwiseCopyable {
  // The echo may take its time: slower than the usual glide, it spares low notes a bend.
  private static let seconds: Float = 0.01
  // Nearer than this is there: -120 dB of full scale.
  private static let near: Float = 1e-6

  /// The values of the piece that was prepared.
  let values: UnsafeMutablePointer<Float>
  /// The target of the value.
  private(set) var target: Float

  // What is to go where the current eight frames began, and how many of them have passed.
  private var firstToGo: Float = 0
  private var toGo: Float = 0
  private var passed = 0
  private var isFilled = false

  // q^k and k c q^k for k from 1 to 8.
  private var decay = SIMD8<Float>(repeating: 0)
  private var pull = SIMD8<Float>(repeating: 0)

  /// A course that rests at `value`, and keeps the values of a piece in `values`, which has room
  /// for eight more on both sides.
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

  /// Whether it is still on its way.
  var isMoving: Bool { @_noLocks get { toGo != 0 || firstToGo != 0 } }

  /// Starts to move to `value`.
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

  /// Jumps to `value`.
  @_noLocks
  mutating func jump(to value: Float) {
    target = value
    firstToGo = 0
    toGo = 0
    passed = 0
    isFilled = false
  }

  /// Jumps to its target.
  @_noLocks
  mutating func settle() { jump(to: target) }

  /// Moves the beginning of the current eight frames by one to eight frames.
  @_noLocks
  private mutating func goOn(frames: Int) {
    toGo = decay[frames &- 1] * toGo + pull[frames &- 1] * firstToGo
    firstToGo *= decay[frames &- 1]
    if abs(firstToGo) < Self.near && abs(toGo) < Self.near {
      firstToGo = 0
      toGo = 0
    }
  }

  /// Makes the values of the next `frames` frames.
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
