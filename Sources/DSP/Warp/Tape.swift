internal import CRealtime

/// A stereo delay buffer that holds the last seconds of a signal, preallocated.
///
/// Frames are numbered consecutively as they are written. Before the first there is silence; frames
/// older than the capacity are overwritten.
package struct Tape: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  private let buffers = Buffers()
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
    capacity = .powerOfTwo(atLeast: Int((seconds * sampleRate).rounded(.up)) + reach)
    self.reach = reach
    leftSide = buffers.floats(2 * (capacity + reach))
    rightSide = leftSide + capacity + reach
  }

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

  /// Returns the peak of both channels over the `frames` frames from `start` on.
  @_noLocks
  borrowing func peak(from start: Int64, frames: Int) -> Float {
    max(
      Magnitude(left(at: start), frames: frames).peak,
      Magnitude(right(at: start), frames: frames).peak)
  }

  /// Appends `frames` frames, at most `capacity`.
  @_noLocks
  package mutating func write(_ sound: Stereo, frames: Int) {
    var done = 0
    while done < frames {
      let (place, count) = room(frames &- done)
      sound.advanced(by: done).copy(to: place, frames: count)
      append(frames: count)
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

  /// Copies `frames` frames from `frame` on, at most `reach`.
  @_noLocks
  borrowing func copy(from frame: Int64, to out: Stereo, frames: Int) {
    rt_copy(out.left, left(at: frame), frames)
    rt_copy(out.right, right(at: frame), frames)
  }

  /// Removes the last `frames` frames.
  @_noLocks
  mutating func takeBack(frames: Int) { head &-= Int64(frames) }

  /// Appends `frames` frames of silence.
  @_noLocks
  package mutating func writeSilence(frames: Int) {
    var done = 0
    while done < frames {
      let (place, count) = room(frames &- done)
      place.clear(frames: count)
      append(frames: count)
      done &+= count
    }
  }
}
