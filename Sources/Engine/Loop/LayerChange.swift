/// The change of the way in which a layer is written.
///
/// Its sound fades out, and goes on from the same position once the other way is ready.
struct LayerChange: BitwiseCopyable {
  /// Whether the sound fades out.
  private(set) var isLeaving = false
  // The position and the time at which that began.
  private var place = 0.0
  private var frame: Int64 = 0
  /// The frames of input until it goes on.
  private(set) var framesToWait = 0

  /// Whether nothing is written, because the other way is not ready.
  var isWaiting: Bool { @_noLocks get { framesToWait > 0 } }

  /// Begins at a position of the clip on a frame.
  @_noLocks
  mutating func begin(at place: Double, on frame: Int64) {
    isLeaving = true
    self.place = place
    self.frame = frame
  }

  /// The frames since its begin.
  @_noLocks
  func framesPassed(at frame: Int64) -> Int { max(0, Int(frame &- self.frame)) }

  /// Waits for the other way.
  @_noLocks
  mutating func wait(frames: Int) {
    isLeaving = false
    framesToWait = frames
  }

  /// Notes that so many of the frames to wait have passed.
  ///
  /// Returns the position at which the layer goes on, if it does now.
  @_noLocks
  mutating func pass(frames: Int) -> Double? {
    if framesToWait <= 0 { return nil }
    framesToWait &-= frames
    return framesToWait <= 0 ? place : nil
  }
}
