/// The times of one buffer, by the clock of the sound server.
struct BlockTiming: BitwiseCopyable {
  /// The frame of the server at which it starts.
  var frame: UInt32 = 0
  /// Its length, in frames.
  var frames: UInt32 = 0
  /// The start of the node's processing, in microseconds.
  ///
  /// Not that of the cycle as JACK reports it: JACK smooths it, and after a long delay it is wrong for seconds.
  var start: UInt64 = 0
  /// The time that the node's processing took, in microseconds.
  var took: UInt32 = 0
}
