internal import CRealtime

/// The last seconds of a stereo signal, in memory that is all there from the start.
///
/// Frames are numbered from 0 as they are written. Before the first there is silence, and what
/// is older than the tape is long is overwritten.
package struct Tape: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  /// How many frames after any place can be read in one piece.
  package let reach: Int
  /// How many frames are kept.
  package let capacity: Int
  /// The number of the frame that will be written next.
  package private(set) var head: Int64

  // Each side has its first frames once more behind its last ones, so that readers need not
  // look where the ring closes.
  private let leftSide: UnsafeMutablePointer<Float>
  private let rightSide: UnsafeMutablePointer<Float>

  /// A tape that keeps at least `seconds`, and what lies within `reach` frames in one piece.
  ///
  /// The first frame to be written has the number `head`.
  package init(seconds: Double, reach: Int, sampleRate: Double, head: Int64 = 0) {
    self.head = head
    var capacity = 1
    while Double(capacity) < seconds * sampleRate + Double(reach) { capacity *= 2 }
    self.capacity = capacity
    self.reach = reach
    leftSide = .allocate(capacity: 2 * (capacity + reach))
    leftSide.initialize(repeating: 0, count: 2 * (capacity + reach))
    rightSide = leftSide + capacity + reach
  }

  deinit { leftSide.deallocate() }

  /// The left side from frame `frame` on, `reach` frames of it.
  @_noLocks
  package borrowing func left(at frame: Int64) -> UnsafePointer<Float> {
    UnsafePointer(leftSide + (Int(truncatingIfNeeded: frame) & (capacity &- 1)))
  }

  /// The right side from frame `frame` on, `reach` frames of it.
  @_noLocks
  package borrowing func right(at frame: Int64) -> UnsafePointer<Float> {
    UnsafePointer(rightSide + (Int(truncatingIfNeeded: frame) & (capacity &- 1)))
  }

  /// Appends `frames` frames, at most as many as the tape keeps.
  @_noLocks
  package mutating func write(_ sound: Stereo, frames: Int) {
    var done = 0
    while done < frames {
      let start = Int(truncatingIfNeeded: head) & (capacity &- 1)
      let count = min(frames &- done, capacity &- start)
      put(sound.left + done, to: leftSide, at: start, frames: count)
      put(sound.right + done, to: rightSide, at: start, frames: count)
      head &+= Int64(count)
      done &+= count
    }
  }

  /// The place of the frame that will be written next, and how many frames have room there: for whoever
  /// writes them there, and then appends them.
  @_noLocks
  borrowing func room(_ frames: Int) -> (place: Stereo, frames: Int) {
    let start = Int(truncatingIfNeeded: head) & (capacity &- 1)
    return (Stereo(leftSide + start, rightSide + start), min(frames, capacity &- start))
  }

  /// Appends `frames` frames that were written where they belong.
  @_noLocks
  mutating func append(frames: Int) {
    let start = Int(truncatingIfNeeded: head) & (capacity &- 1)
    if start < reach {
      let count = min(frames, reach &- start)
      rt_copy(leftSide + capacity + start, leftSide + start, count)
      rt_copy(rightSide + capacity + start, rightSide + start, count)
    }
    head &+= Int64(frames)
  }

  /// Appends `frames` frames of silence.
  @_noLocks
  package mutating func writeSilence(frames: Int) {
    var done = 0
    while done < frames {
      let start = Int(truncatingIfNeeded: head) & (capacity &- 1)
      let count = min(frames &- done, capacity &- start)
      for side in 0..<2 {
        let samples = side == 0 ? leftSide : rightSide
        rt_zero(samples + start, count)
        if start < reach { rt_zero(samples + capacity + start, min(count, reach &- start)) }
      }
      head &+= Int64(count)
      done &+= count
    }
  }

  @_noLocks
  private func put(
    _ from: UnsafePointer<Float>, to side: UnsafeMutablePointer<Float>, at start: Int, frames: Int
  ) {
    rt_copy(side + start, from, frames)
    if start < reach { rt_copy(side + capacity + start, from, min(frames, reach &- start)) }
  }
}
