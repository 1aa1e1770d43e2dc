internal import CRealtime

/// The piece of the tape that the studio engine looks at, and how it fades in and out.
///
/// It reaches far back and less far ahead, as only what is ahead costs delay.
struct StudioWindow: ~Copyable {
  /// How many frames before its place a window reaches.
  let back: Int
  /// How many frames from its place on a window reaches.
  let ahead: Int
  /// How many numbers a transform has: a window, and what is left is silence.
  let size: Int

  /// The centre of its weight, in frames behind its place; the group delay of a steady tone.
  let balance: Float

  /// What its heights add up to: a steady tone is as loud through any window of that sum.
  let sum: Float

  /// How long a frame falls behind its centre when it is laid down, in stretched samples.
  let fall: Int
  /// How high its fall is; before that there is room for a rise of half a transform.
  let falling: UnsafeMutablePointer<Float>

  private let shape: UnsafeMutablePointer<Float>

  // Between a sine and its square: the square separates partials that are close less well, the
  // sine leaks more into those that are far.
  private static let power: Float = 1.4
  // Beyond this, squares of sums of sums would not be finite.
  private static var most: Float { @_noLocks get { 1e12 } }

  /// A window with a transform of the least power of two that holds it, and `least` numbers at
  /// least; where `sum` is not 0, its heights add up to that.
  init(back: Int, ahead: Int, fall: Int, least: Int = 64, sum wantedSum: Float = 0) {
    self.back = back
    self.ahead = ahead
    self.fall = fall
    var size = least
    while size < back + ahead { size *= 2 }
    self.size = size
    falling = .allocate(capacity: size / 2 + fall) + size / 2
    (falling - size / 2).initialize(repeating: 0, count: size / 2 + fall)
    for frame in 0..<fall {
      let root = rt_cos(Double.pi / 2 * (Double(frame) + 0.5) / Double(fall))
      falling[frame] = Float(root * root)
    }
    shape = .allocate(capacity: back + ahead + 4)
    shape.initialize(repeating: 0, count: back + ahead + 4)
    for frame in 0..<(back + ahead) {
      let part =
        frame < back
        ? (Double(frame) + 0.5) / Double(back)
        : (Double(back + ahead - frame) - 0.5) / Double(ahead)
      shape[frame] = rt_exp(Self.power * rt_log(Float(rt_sin(Double.pi / 2 * part))))
    }
    var sum = 0.0
    var moment = 0.0
    for frame in 0..<(back + ahead) {
      sum += Double(shape[frame])
      moment += Double(shape[frame]) * Double(frame - back)
    }
    balance = Float(moment / sum)
    let gain = wantedSum == 0 ? 1 : wantedSum / Float(sum)
    for frame in 0..<(back + ahead) { shape[frame] *= gain }
    self.sum = Float(sum) * gain
  }

  deinit {
    shape.deallocate()
    (falling - size / 2).deallocate()
  }

  /// Copies both sides around `place` to the parts of `to`, the place itself first.
  ///
  /// A click at the place thus has no phase in any bin.
  @_noLocks
  borrowing func cut(_ tape: borrowing Tape, at place: Int64, to: Planar) {
    let wanted = back &+ ahead
    var done = 0
    while done < wanted {
      let index = done < back ? size &- back &+ done : done &- back
      let count = min((done < back ? back : wanted) &- done, tape.reach)
      let start = place &+ Int64(done &- back)
      shape(tape.left(at: start), from: done, to: to.real + index, frames: count)
      shape(tape.right(at: start), from: done, to: to.imaginary + index, frames: count)
      done &+= count
    }
    rt_zero(to.real + ahead, size &- wanted)
    rt_zero(to.imaginary + ahead, size &- wanted)
  }

  @_noLocks
  private borrowing func shape(
    _ samples: UnsafePointer<Float>, from: Int, to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    let heights = shape + from
    var frame = 0
    while frame &+ 4 <= frames {
      let sound = UnsafeRawPointer(samples + frame).loadUnaligned(as: SIMD4<Float>.self)
      let height = UnsafeRawPointer(heights + frame).loadUnaligned(as: SIMD4<Float>.self)
      UnsafeMutableRawPointer(to + frame).storeBytes(
        of: rt_between(-Self.most, sound, Self.most) * height, as: SIMD4<Float>.self)
      frame &+= 4
    }
    while frame < frames {
      to[frame] = max(-Self.most, min(Self.most, samples[frame])) * heights[frame]
      frame &+= 1
    }
  }

  /// Adds, for each frame from `offset` behind the place on, what is seen of it times `weight`.
  @_noLocks
  borrowing func addHeights(
    from offset: Int, times weights: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Float>,
    frames: Int
  ) {
    let first = max(0, -back &- offset)
    let last = min(frames, ahead &- offset)
    let heights = shape + (back &+ offset)
    var frame = first
    while frame < last {
      sums[frame] += heights[frame] * weights[frame]
      frame &+= 1
    }
  }
}
