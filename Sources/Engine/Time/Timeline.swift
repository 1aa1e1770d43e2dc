/// The engine's own count of frames: 64 bits, and never backwards.
///
/// Its low 32 bits are those of the driver's count, as long as that goes on. When the server dies
/// and another driver starts to count anew, it leaps forward to the next count whose low bits are
/// that driver's. When the count of one and the same driver steps back, it goes on where the last
/// block ended, so that nothing that waits for a frame notices.
struct Timeline: BitwiseCopyable {
  private(set) var frame: Int64 = 0
  // By how much the driver's count is ahead of the low bits, since it stepped back.
  private var lead: UInt32 = 0

  /// Goes over to another driver, whose block begins at its frame `count`; returns by how much it
  /// leaps.
  @_noLocks
  mutating func begin(at count: UInt32) -> Int64 {
    lead = 0
    let step = Int64(count &- UInt32(truncatingIfNeeded: frame))
    frame &+= step
    return step
  }

  /// Advances to the driver's next block, which begins at its frame `count`, and returns by how
  /// much; `end` is where the last block ended.
  @_noLocks
  mutating func advance(to count: UInt32, from end: Int64) -> Int64 {
    let former = frame
    let step = count &- lead &- UInt32(truncatingIfNeeded: frame)
    if Int32(bitPattern: step) < 0 {
      frame = end
      lead = count &- UInt32(truncatingIfNeeded: end)
    } else {
      frame &+= Int64(step)
    }
    return frame &- former
  }
}
