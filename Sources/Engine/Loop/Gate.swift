internal import DSP

/// Fades a sound in and out within a given time, along `Crossfade.gentle`.
struct Gate: BitwiseCopyable {
  private var length = 1
  private var left = 0
  private(set) var isOpen = false
  private var from: Float = 0

  @_noLocks
  init() {}

  /// Whether the output is silent.
  var isClosed: Bool { @_noLocks get { !isOpen && left == 0 } }

  /// Whether the output is the input.
  var isOpenAtRest: Bool { @_noLocks get { isOpen && left == 0 } }
  /// Whether no fade is in progress.
  var isAtRest: Bool { @_noLocks get { left == 0 } }

  /// Opens or closes at once.
  @_noLocks
  mutating func set(open: Bool) {
    isOpen = open
    left = 0
  }

  /// Opens or closes within a number of frames, from the present gain.
  @_noLocks
  mutating func move(open: Bool, frames: Int) {
    if open == isOpen { return }
    from = value
    isOpen = open
    length = max(1, frames)
    left = length
  }

  private var value: Float {
    @_noLocks get {
      let target: Float = isOpen ? 1 : 0
      if left == 0 { return target }
      let share = 1 - Float(left) / Float(length)
      return from + (target - from) * Crossfade.gentle(share)
    }
  }

  /// Applies the gain to a block in place.
  @_noLocks
  mutating func apply(to sound: Stereo, frames: Int) {
    var frame = 0
    while left > 0 && frame < frames {
      left &-= 1
      let gain = value
      sound.left[frame] *= gain
      sound.right[frame] *= gain
      frame &+= 1
    }
    if isOpen || frame == frames { return }
    sound.advanced(by: frame).clear(frames: frames &- frame)
  }
}
