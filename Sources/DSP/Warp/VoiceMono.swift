internal import CRealtime

/// The sides of a stereo signal that are one voice.
package enum VoiceSides: BitwiseCopyable {
  case both, left, right
}

/// A mono mix of a stereo tape: the sum of the channels, or the difference if they are out of
/// phase; or one channel.
struct VoiceMono: BitwiseCopyable {
  /// The gains of the channels: 1, 0, or for the right one -1.
  private(set) var leftShare: Float = 1
  private(set) var rightShare: Float = 1

  /// Sets the sides that are mixed.
  ///
  /// Returns whether the mix changed.
  @_noLocks
  mutating func setSides(_ value: VoiceSides) -> Bool {
    let former = (leftShare, rightShare)
    switch value {
    case .both: (leftShare, rightShare) = (1, rightShare == 0 || leftShare == 0 ? 1 : rightShare)
    case .left: (leftShare, rightShare) = (1, 0)
    case .right: (leftShare, rightShare) = (0, 1)
    }
    return former.0 != leftShare || former.1 != rightShare
  }

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
      for index in 0..<piece { to[index] = leftShare * left[index] + rightShare * right[index] }
      done &+= piece
    }
  }

  /// Chooses sum or difference from `count` frames starting at `first`, and returns whether it
  /// changed.
  @_noLocks
  mutating func choose(_ tape: borrowing Tape, from first: Int64, count: Int) -> Bool {
    // One channel alone.
    if leftShare == 0 || rightShare == 0 { return false }
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
