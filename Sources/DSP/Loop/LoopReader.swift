/// A place in a version of a clip, and which way it goes on from there.
struct LoopReader: BitwiseCopyable {
  /// The version that is read.
  var version: Int
  /// The frame that comes next; behind the end while the last sound fades out.
  var frame = 0
  /// Whether it reads towards the beginning.
  var isBackward: Bool
  /// Whether it has come round: then the beginning is mixed with what was recorded behind the end.
  var hasTurned = false
  /// Whether it has come to an end that it doesn't go round.
  var isOver = false
  /// How many frames of silence it has read since.
  var framesOver = 0
  /// The part of a frame, in 32 binary places, that the round began before its frame: what rounds that
  /// are no whole number of frames long come to.
  var phase: UInt32 = 0
  /// How many frames the round is shorter than the clip, and the one before was: one, or none.
  var shift: UInt8 = 0, formerShift: UInt8 = 0

  @_noLocks
  init(version: Int, isBackward: Bool) {
    self.version = version
    self.isBackward = isBackward
  }
}
