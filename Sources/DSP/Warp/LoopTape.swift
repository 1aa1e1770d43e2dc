internal import CRealtime

/// A clip that goes round: a tape of which there is always more, the clip again and again.
///
/// A warp plays it at any pitch and rate for ever. The clip lies in memory that is all there from
/// the start; what the warp is about to hear is laid out behind one another on a short tape.
package struct LoopTape: ~Copyable, @unchecked Sendable {
  /// The most frames of a clip.
  package let capacity: Int
  /// How many frames the clip has.
  package private(set) var length = 0

  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>
  // What has been laid out, and where in the clip it goes on.
  var unrolled: Tape
  private var next = 0

  /// A tape for clips of up to `seconds`, of which `reach` frames can be read in one piece.
  package init(seconds: Double, reach: Int, sampleRate: Double) {
    capacity = Int((seconds * sampleRate).rounded(.up))
    left = .allocate(capacity: 2 * capacity)
    left.initialize(repeating: 0, count: 2 * capacity)
    right = left + capacity
    // A step at the fastest, behind all that an engine looks back at.
    unrolled = Tape(seconds: 0.1, reach: reach, sampleRate: sampleRate)
  }

  deinit { left.deallocate() }

  /// Puts another clip onto the tape, at most as long as it is, and begins at its first frame.
  @_noLocks
  package mutating func fill(
    left newLeft: UnsafePointer<Float>, right newRight: UnsafePointer<Float>, frames: Int
  ) {
    length = min(frames, capacity)
    Blocks.copy(newLeft, to: left, frames: length)
    Blocks.copy(newRight, to: right, frames: length)
    next = 0
  }

  /// Lays out what lies up to a place of the way, if it doesn't lie there yet.
  @_noLocks
  mutating func unroll(to place: Int64) {
    // Places wrap around: only their differences say something.
    var toGo = (place &- unrolled.head << 32) >> 32 &+ 1
    while toGo > 0 {
      let missing = Int(min(toGo, Int64(unrolled.reach)))
      guard length > 0 else {
        unrolled.writeSilence(frames: missing)
        toGo &-= Int64(missing)
        continue
      }
      let count = min(missing, length &- next)
      unrolled.write(Stereo(left + next, right + next), frames: count)
      next = next &+ count == length ? 0 : next &+ count
      toGo &-= Int64(count)
    }
  }
}
