internal import CRealtime

/// A mono mix of a stereo tape: the sum of the channels, or the difference if they are out of
/// phase.
struct VoiceMono: BitwiseCopyable {
  /// The gain of the right channel: 1 or -1.
  private(set) var rightShare: Float = 1

  /// Copies `count` frames from `first` on.
  @_noLocks
  func read(
    _ tape: borrowing Tape, from first: Int64, count: Int, to samples: UnsafeMutablePointer<Float>
  ) {
    var done = 0
    while done < count {
      let piece = min(count &- done, tape.reach)
      let left = tape.left(at: first &+ Int64(done))
      let right = tape.right(at: first &+ Int64(done))
      let to = samples + done
      for index in 0..<piece { to[index] = left[index] + rightShare * right[index] }
      done &+= piece
    }
  }

  /// Chooses sum or difference from `count` frames starting at `first`, and returns whether it
  /// changed.
  @_noLocks
  mutating func choose(_ tape: borrowing Tape, from first: Int64, count: Int) -> Bool {
    var own: Float = 0
    var shared: Float = 0
    var done = 0
    while done < count {
      let piece = min(count &- done, tape.reach)
      let left = tape.left(at: first &+ Int64(done))
      let right = tape.right(at: first &+ Int64(done))
      own +=
        rt_product(left, left, piece)
        + rt_product(right, right, piece)
      shared += 2 * rt_product(left, right, piece)
      done &+= piece
    }
    // Hysteresis: in between, both mixes contain the signal.
    let share: Float = shared < -0.6 * own ? -1 : shared > -0.2 * own ? 1 : rightShare
    let hasChanged = share != rightShare
    rightShare = share
    return hasChanged
  }
}
