internal import CRealtime

/// A stereo delay buffer that holds the last seconds of a signal, preallocated.
///
/// Frames are numbered consecutively as they are written. Before the first there is silence; frames
/// older than the capacity are overwritten.
package struct Tape: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  /// The number of frames readable contiguously from any position.
  package let reach: Int
  /// The number of frames held.
  package let capacity: Int
  /// The number of the next frame to be written.
  package private(set) var head: Int64

  // The first frames of each channel are mirrored after the last, so readers needn't handle the
  // wrap.
  private let leftSide: UnsafeMutablePointer<Float>
  private let rightSide: UnsafeMutablePointer<Float>

  /// Creates a tape of at least `seconds`, readable contiguously over `reach` frames.
  ///
  /// The first frame written gets the number `head`.
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

  /// Returns the left channel from `frame` on; `reach` frames are valid.
  @_noLocks
  package borrowing func left(at frame: Int64) -> UnsafePointer<Float> {
    UnsafePointer(leftSide + (Int(truncatingIfNeeded: frame) & (capacity &- 1)))
  }

  /// Returns the right channel from `frame` on; `reach` frames are valid.
  @_noLocks
  package borrowing func right(at frame: Int64) -> UnsafePointer<Float> {
    UnsafePointer(rightSide + (Int(truncatingIfNeeded: frame) & (capacity &- 1)))
  }

  /// Appends `frames` frames, at most `capacity`.
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

  /// Returns the memory of the next frame and how many of `frames` fit there, for writing in place
  /// before `append`.
  @_noLocks
  borrowing func room(_ frames: Int) -> (place: Stereo, frames: Int) {
    let start = Int(truncatingIfNeeded: head) & (capacity &- 1)
    return (Stereo(leftSide + start, rightSide + start), min(frames, capacity &- start))
  }

  /// Appends `frames` frames that were written in place.
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
