/// A gain ramp between 0 and 1 with an S-shaped curve and a fixed length.
///
/// Its slope is 0 at both ends. To avoid a corner it never reverses on the way; callers wait until
/// it has arrived.
struct Fade: BitwiseCopyable {
  /// The gains of the last prepared piece.
  let values: UnsafeMutablePointer<Float>
  /// The target gain: 0 or 1.
  private(set) var goal: Float
  /// The number of frames until the ramp ends.
  private(set) var framesLeft: Int = 0

  private let length: Int
  private var isFilled = false

  /// Creates a fade at rest.
  ///
  /// Gains are written to `values`.
  @_noLocks
  init(at goal: Float, length: Int, values: UnsafeMutablePointer<Float>) {
    self.goal = goal
    self.length = length
    self.values = values
  }

  /// Whether the ramp is in progress.
  var isMoving: Bool { @_noLocks get { framesLeft > 0 } }

  /// Whether the fade rests at `gain`.
  @_noLocks
  func rests(at gain: Float) -> Bool { framesLeft == 0 && goal == gain }

  /// Starts a ramp to `gain`.
  ///
  /// Call only at rest.
  @_noLocks
  mutating func begin(to gain: Float) {
    if gain == goal { return }
    goal = gain
    framesLeft = length
    isFilled = false
  }

  /// Jumps to `gain`.
  @_noLocks
  mutating func jump(to gain: Float) {
    goal = gain
    framesLeft = 0
    isFilled = false
  }

  /// Computes the gains of the next `frames` frames, at most `framesLeft` during a ramp.
  @_noLocks
  mutating func prepare(frames: Int) {
    if framesLeft == 0 {
      if isFilled { return }
      for frame in 0..<EchoPiece.longest { values[frame] = goal }
      isFilled = true
      return
    }
    let share = 1 / Float(length)
    for frame in 0..<frames {
      let left = Crossfade.eased(Float(framesLeft &- 1 &- frame) * share)
      values[frame] = goal > 0 ? 1 - left : left
    }
    framesLeft &-= frames
  }
}
