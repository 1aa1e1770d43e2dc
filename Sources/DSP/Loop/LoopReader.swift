/// A playhead in a version of a clip.
struct LoopReader: BitwiseCopyable {
  /// The version to read.
  var version: Int
  /// The next frame; past the end while the tail fades out.
  var frame = 0
  /// Whether playback is reversed.
  var isBackward: Bool
  /// Whether the playhead has wrapped, so that the start is crossfaded with the tail recorded after
  /// the end.
  var hasTurned = false
  /// Whether the playhead has reached the end without looping.
  var isOver = false
  /// The number of silent frames read since then.
  var framesOver = 0
  /// The accumulated fraction of a frame by which the cycle started early, in units of 2^-32, for
  /// loop lengths that aren't whole frames.
  var phase: UInt32 = 0
  /// How many frames the current and the previous cycle are shorter than the clip: 0 or 1.
  var shift: UInt8 = 0, formerShift: UInt8 = 0

  @_noLocks
  init(version: Int, isBackward: Bool) {
    self.version = version
    self.isBackward = isBackward
  }
}
