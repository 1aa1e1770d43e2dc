/// A gain that goes between 0 and 1 within a given time, along an S.
///
/// Its slope is 0 at both ends. To stay without a kink it never turns round half-way: who wants
/// it back waits until it has arrived.
struct Fade: BitwiseCopyable {
  /// The gains of the piece that was prepared.
  let values: UnsafeMutablePointer<Float>
  /// The gain that it goes to or rests at: 0 or 1.
  private(set) var goal: Float
  /// How many frames are left until it is there.
  private(set) var framesLeft: Int = 0

  private let length: Int
  private var isFilled = false

  /// A fade that rests, and keeps the gains of a piece in `values`.
  @_noLocks
  init(at goal: Float, length: Int, values: UnsafeMutablePointer<Float>) {
    self.goal = goal
    self.length = length
    self.values = values
  }

  /// Whether it is still on its way.
  var isMoving: Bool { @_noLocks get { framesLeft > 0 } }

  /// Whether it rests at a gain.
  @_noLocks
  func rests(at gain: Float) -> Bool { framesLeft == 0 && goal == gain }

  /// Sets out to a gain, from where it rests.
  @_noLocks
  mutating func begin(to gain: Float) {
    if gain == goal { return }
    goal = gain
    framesLeft = length
    isFilled = false
  }

  /// Jumps to a gain.
  @_noLocks
  mutating func jump(to gain: Float) {
    goal = gain
    framesLeft = 0
    isFilled = false
  }

  /// Makes the gains of the next `frames` frames: no more than are left while it moves.
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
