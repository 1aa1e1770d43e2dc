internal import CRealtime

/// A smoothed parameter: it approaches its target with a continuous slope.
///
/// Two cascaded one-pole low-passes keep value and slope continuous, even if the target changes on
/// the way. The value is within 1 % of the target after 6.6 time constants, and lands on it
/// exactly. The result doesn't depend on the block size.
public struct Glide: BitwiseCopyable {
  /// The default time constant of each pole, in seconds.
  package static let usualSeconds: Float = 0.003

  // Distance at which the value snaps to its target: -120 dB of full scale.
  private static let near: Float = 1e-6

  private var coefficient: Float
  // Both poles store the remaining distance to the target. Close to the target, steps added to a
  // sum that includes the target would be lost to rounding.
  @usableFromInline var firstToGo: Float
  @usableFromInline var toGo: Float
  /// The target of the value.
  @usableFromInline package private(set) var target: Float

  /// Creates a parameter at rest at `value`.
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

  /// Adjusts to a new sample rate; the time constant stays the same in seconds.
  @_noLocks
  package mutating func setSampleRate(_ rate: Float, seconds: Float = Glide.usualSeconds) {
    coefficient = Self.coefficient(sampleRate: rate, seconds: seconds)
  }

  /// Sets the target.
  @_noLocks
  package mutating func move(to target: Float) {
    let change = self.target - target
    firstToGo += change
    toGo += change
    self.target = target
  }

  /// Jumps to `target` without smoothing.
  ///
  /// For parameters that are inaudible at the moment.
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

  /// The current value.
  public var current: Float {
    @_noLocks @inlinable get { target + toGo }
  }

  /// Advances by `frames` frames without output.
  @_noLocks
  package mutating func skip(frames: Int) {
    var frame = 0
    while isMoving && frame < frames {
      step()
      frame += 1
    }
  }

  /// Advances by one frame.
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

  /// Writes the next `frames` values.
  ///
  /// The first is one step past `current`.
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
