/// The engine's own count of frames: 64 bits, and never backwards.
///
/// Its low 32 bits are those of the driver's count, as long as that continues. When another driver counts
/// from a different frame, it jumps ahead to the next count with that driver's low bits. When the count of
/// the same driver steps back, it continues where the last block ended, so that scheduled commands are not
/// affected.
struct Timeline: BitwiseCopyable {
  private(set) var frame: Int64 = 0
  // The lead of the driver's count over the low bits, since it stepped back.
  private var lead: UInt32 = 0

  /// Changes to another driver, whose block starts at its frame `count`.
  ///
  /// Returns the jump.
  @_noLocks
  mutating func begin(at count: UInt32) -> Int64 {
    lead = 0
    let step = Int64(count &- UInt32(truncatingIfNeeded: frame))
    frame &+= step
    return step
  }

  /// Advances to the driver's next block, which starts at its frame `count`.
  ///
  /// Returns the distance; `end` is the end of the last block.
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
