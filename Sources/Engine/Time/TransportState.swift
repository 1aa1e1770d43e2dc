/// The server's transport as the engine follows it.
struct TransportState: BitwiseCopyable {
  /// Whether it rolls, and is followed.
  var isRolling = false
  // The next frame if it does not jump.
  private var nextFrame = Int64.min

  /// Records the position at the start of a block; returns whether the transport starts or jumps there.
  @_noLocks
  mutating func advance(_ transport: Transport, frames: Int) -> Bool {
    let jumps = transport.isRolling && transport.frame != nextFrame
    nextFrame = transport.isRolling ? transport.frame &+ Int64(frames) : .min
    return jumps
  }
}
