internal import CRealtime

/// A quadrature oscillator that yields eight frames at a time.
struct Rotator: BitwiseCopyable {
  /// Cosine and sine at the current eight frames.
  private(set) var cosines = SIMD8<Float>(repeating: 1)
  private(set) var sines = SIMD8<Float>(repeating: 0)
  // The rotation by eight frames.
  private var cosineOfEight: Float = 1
  private var sineOfEight: Float = 0

  /// Creates an oscillator at 0 Hz.
  @_noLocks
  init() {}

  /// Creates an oscillator that starts at `angle` and advances by `step` per frame, in radians.
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

  /// Advances by eight frames.
  @_noLocks
  mutating func advance() { turn(cosineOfEight, sineOfEight) }

  @_noLocks
  private mutating func turn(_ x: Float, _ y: Float) {
    (cosines, sines) = (cosines * x - sines * y, cosines * y + sines * x)
  }
}
