/// The idle state of the engine: silent and unchanged, so that most of its memory is not accessed.
struct Idle: BitwiseCopyable {
  private(set) var isOn = false
  // For how many frames, of which the chain does not know yet.
  private var frames = 0

  @_noLocks
  init() {}

  /// Becomes idle, or not, after a segment that was rendered.
  @_noLocks
  mutating func set(_ isIdle: Bool) { isOn = isIdle }

  /// Counts frames that were not rendered.
  @_noLocks
  mutating func skip(frames: Int) { self.frames &+= frames }

  /// Ends; returns for how many frames the chain has rested.
  @_noLocks
  mutating func end() -> Int {
    isOn = false
    defer { frames = 0 }
    return frames
  }
}
