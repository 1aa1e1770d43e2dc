/// The engine's own count of frames: 64 bits, never backwards, in its low 32 bits JACK's.
///
/// It goes on when the server dies and another one starts to count anew: then it leaps
/// forward to the next count whose low bits are the new server's.
struct Timeline: BitwiseCopyable {
  private(set) var frame: Int64 = 0

  /// Advances to the block that begins at JACK's frame `count`, and returns by how much.
  @_noLocks
  mutating func advance(to count: UInt32) -> Int64 {
    let step = Int64(count &- UInt32(truncatingIfNeeded: frame))
    frame &+= step
    return step
  }
}
