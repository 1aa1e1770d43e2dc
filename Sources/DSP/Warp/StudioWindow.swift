internal import CRealtime

/// The analysis window of the studio engine and the synthesis slope of its frames.
///
/// It is asymmetric: it reaches far back and less far ahead, because only lookahead costs latency.
struct StudioWindow: ~Copyable {
  /// The reach before the position, in frames.
  let back: Int
  /// The reach from the position on, in frames.
  let ahead: Int
  /// The transform size; the window is zero-padded.
  let size: Int

  /// The center of gravity in frames after the position, which is the group delay of a steady tone.
  let balance: Float

  /// The sum of the window.
  ///
  /// Windows of equal sum give steady tones the same level.
  let sum: Float

  /// The length of the synthesis fall after the center, in stretched samples.
  let fall: Int
  /// The falling slope, preceded by room for a rise of half a transform.
  let falling: UnsafeMutablePointer<Float>

  private let buffers = Buffers()
  private let shape: UnsafeMutablePointer<Float>

  // Between a sine and a Hann window: the latter separates close partials less, the former leaks
  // more into distant bins.
  private static let power: Float = 1.4
  // Beyond this, the squares of accumulated sums would overflow.
  private static var most: Float { @_noLocks get { 1e12 } }

  /// Creates a window with the smallest power-of-two transform that holds it, at least `least`
  /// values.
  ///
  /// Unless `sum` is 0, the window is scaled to that sum.
  init(back: Int, ahead: Int, fall: Int, least: Int = 64, sum wantedSum: Float = 0) {
    self.back = back
    self.ahead = ahead
    self.fall = fall
    size = .powerOfTwo(atLeast: max(least, back + ahead))
    falling = buffers.floats(size / 2 + fall) + size / 2
    for frame in 0..<fall {
      let root = rt_cos(Double.pi / 2 * (Double(frame) + 0.5) / Double(fall))
      falling[frame] = Float(root * root)
    }
    shape = buffers.floats(back + ahead + 4)
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

  /// Applies the window to both channels around `place`.
  ///
  /// The result starts with `place` itself and wraps.
  ///
  /// An impulse at the position thus has phase 0 in all bins.
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
      let sound = rt_between(-Self.most, samples.four(at: frame), Self.most)
      to.setFour(at: frame, sound * heights.four(at: frame))
      frame &+= 4
    }
    while frame < frames {
      to[frame] = max(-Self.most, min(Self.most, samples[frame])) * heights[frame]
      frame &+= 1
    }
  }

  /// Accumulates the window times `weights`, from `offset` frames after the position on.
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
