/// The server's transport as the engine follows it.
struct TransportState: BitwiseCopyable {
  /// Whether it rolls, and is followed.
  var isRolling = false
  // The next frame if it does not jump.
  private var nextFrame = Int64.min

  /// Notes where it is at the start of a block; returns whether it starts or jumps there.
  @_noLocks
  mutating func advance(_ transport: Transport, frames: Int) -> Bool {
    let jumps = transport.isRolling && transport.frame != nextFrame
    nextFrame = transport.isRolling ? transport.frame &+ Int64(frames) : .min
    return jumps
  }
}
