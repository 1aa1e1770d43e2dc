/// The idle state of the engine: silent and unchanged, so that most of its memory is not accessed.
struct Idle: BitwiseCopyable {
  private(set) var isOn = false
  // The number of idle frames that the chain has not been advanced by.
  private var frames = 0

  /// Becomes idle, or not, after a segment that was rendered.
  @_noLocks
  mutating func set(_ isIdle: Bool) { isOn = isIdle }

  /// Counts skipped frames.
  @_noLocks
  mutating func skip(frames: Int) { self.frames &+= frames }

  /// Ends the idle state.
  ///
  /// Returns the number of frames that the chain has skipped.
  @_noLocks
  mutating func end() -> Int {
    isOn = false
    defer { frames = 0 }
    return frames
  }
}
