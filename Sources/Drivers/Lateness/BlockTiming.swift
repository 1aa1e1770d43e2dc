/// The times of one buffer, by the clock of the sound server.
struct BlockTiming: BitwiseCopyable {
  /// The frame of the server at which it starts.
  var frame: UInt32 = 0
  /// Its length, in frames.
  var frames: UInt32 = 0
  /// The start of the server's cycle, in microseconds.
  var due: UInt64 = 0
  /// The time from then to the start of the node's processing, in microseconds.
  var woken: UInt32 = 0
  /// The time that the node's processing took, in microseconds.
  var took: UInt32 = 0
}
