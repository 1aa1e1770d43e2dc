internal import CRealtime

/// A value that moves to its target without a step and without a kink.
///
/// Two one-pole low-passes in a row: value and slope are both continuous, also when the target
/// changes half-way. It is within 1 % of the target after 6.6 time constants, and lands on it
/// exactly. What it yields doesn't depend on how the frames are cut into blocks.
public struct Glide: BitwiseCopyable {
  /// The default time constant of each pole, in seconds.
  package static let usualSeconds: Float = 0.003

  // Nearer than this is there: -120 dB of full scale.
  private static let near: Float = 1e-6

  private var coefficient: Float
  // Both poles are kept as what is still to go: near the target, the steps of a sum with the
  // target in it would vanish in its rounding.
  @usableFromInline var firstToGo: Float
  @usableFromInline var toGo: Float
  /// The target of the value.
  @usableFromInline package private(set) var target: Float

  /// A glide that rests at `value`.
  @_noLocks
  package init(at value: Float, sampleRate: Float, seconds: Float = Glide.usualSeconds) {
    coefficient = Self.coefficient(sampleRate: sampleRate, seconds: seconds)
    firstToGo = 0
    toGo = 0
    target = value
  }

  @_noLocks
  private static func coefficient(sampleRate: Float, seconds: Float) -> Float {
    1 - rt_exp(-1 / (seconds * sampleRate))
  }

  /// Keeps the time in seconds when the sample rate changes.
  @_noLocks
  package mutating func setSampleRate(_ rate: Float, seconds: Float = Glide.usualSeconds) {
    coefficient = Self.coefficient(sampleRate: rate, seconds: seconds)
  }

  /// Starts to move to `target`.
  @_noLocks
  package mutating func move(to target: Float) {
    let change = self.target - target
    firstToGo += change
    toGo += change
    self.target = target
  }

  /// Jumps to `target`, for what can't be heard at the moment.
  @_noLocks
  package mutating func jump(to target: Float) {
    self.target = target
    firstToGo = 0
    toGo = 0
  }

  /// Whether the value still differs from its target.
  public var isMoving: Bool {
    @_noLocks @inlinable get { toGo != 0 || firstToGo != 0 }
  }

  /// The present value.
  public var current: Float {
    @_noLocks @inlinable get { target + toGo }
  }

  /// Goes on by `frames` values that nobody needs.
  @_noLocks
  package mutating func skip(frames: Int) {
    var frame = 0
    while isMoving && frame < frames {
      step()
      frame += 1
    }
  }

  /// The one step that all others are made of.
  @_noLocks
  private mutating func step() {
    if abs(firstToGo) < Self.near && abs(toGo) < Self.near {
      firstToGo = 0
      toGo = 0
      return
    }
    firstToGo -= coefficient * firstToGo
    toGo += coefficient * (firstToGo - toGo)
  }

  /// Writes the next `frames` values; the first one already has moved.
  @_noLocks
  package mutating func fill(_ values: UnsafeMutablePointer<Float>, frames: Int) {
    var frame = 0
    while isMoving && frame < frames {
      step()
      values[frame] = target + toGo
      frame += 1
    }
    while frame < frames {
      values[frame] = target
      frame += 1
    }
  }
}
