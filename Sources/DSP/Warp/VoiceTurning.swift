internal import CRealtime

/// A vector that turns evenly, at eight frames at a time.
struct VoiceTurning: BitwiseCopyable {
  /// Its two sides at the present frames.
  private(set) var cosines = SIMD8<Float>(repeating: 1)
  private(set) var sines = SIMD8<Float>(repeating: 0)
  // Those of a turn by eight frames.
  private var cosineOfEight: Float = 1
  private var sineOfEight: Float = 0

  /// One that stands still.
  @_noLocks
  init() {}

  /// One that has an angle in radians at the first frame, and turns by `step` a frame.
  @_noLocks
  init(from angle: Double, step: Double) {
    let (x, y) = (Float(rt_cos(step)), Float(rt_sin(step)))
    for lane in 1..<8 {
      let (formerX, formerY) = (cosines[lane &- 1], sines[lane &- 1])
      (cosines[lane], sines[lane]) = (formerX * x - formerY * y, formerX * y + formerY * x)
    }
    let (lastX, lastY) = (cosines[7], sines[7])
    (cosineOfEight, sineOfEight) = (lastX * x - lastY * y, lastX * y + lastY * x)
    turn(Float(rt_cos(angle)), Float(rt_sin(angle)))
  }

  /// Goes on by eight frames.
  @_noLocks
  mutating func advance() { turn(cosineOfEight, sineOfEight) }

  @_noLocks
  private mutating func turn(_ x: Float, _ y: Float) {
    (cosines, sines) = (cosines * x - sines * y, cosines * y + sines * x)
  }
}
