internal import DSP

/// The live input before its strip: feedback guard and gain, or a recording in its place.
struct InputStage: ~Copyable {
  private let buffers = Buffers()
  private(set) var howlGuard: HowlGuard
  // Read instead of the guard, which is not accessed while it is off.
  private(set) var isGuarding = false
  var gain: Fader
  /// The recording that replaces the input, if any.
  private(set) var recording: UnsafeMutablePointer<RecordedInput>?

  init(sampleRate: Double) {
    howlGuard = HowlGuard(sampleRate: sampleRate)
    gain = Fader(at: 1, sampleRate: Float(sampleRate))
  }

  /// Continues with another driver at the same sample rate.
  @_noLocks
  mutating func restart() { howlGuard.rest(frames: 0) }

  /// Continues at another sample rate, without notches.
  mutating func setSampleRate(_ rate: Double) {
    gain.setSampleRate(Float(rate))
    howlGuard = HowlGuard(sampleRate: rate)
    isGuarding = false
  }

  /// Replaces the input by a recording, before anything is rendered.
  mutating func play(_ recording: consuming RecordedInput) {
    self.recording = buffers.box(recording)
  }

  @_noLocks
  mutating func set(_ parameter: Parameter.HowlGuard, _ value: Float) {
    switch parameter {
    case .on:
      howlGuard.setOn(value != 0)
      isGuarding = howlGuard.isActive
    case .hold: howlGuard.setHold(seconds: value)
    }
  }

  /// Removes all notches.
  @_noLocks
  mutating func clearNotches() { howlGuard.clear() }

  /// Suppresses feedback in a block, in place.
  ///
  /// Returns whether the notches have changed.
  @_noLocks
  mutating func suppressFeedback(_ sound: Stereo, peak: Float, frames: Int) -> Bool {
    if !isGuarding { return false }
    if peak == 0 {
      howlGuard.rest(frames: frames)
    } else {
      howlGuard.process(sound, peak: peak, frames: frames)
    }
    isGuarding = howlGuard.isActive
    return howlGuard.takeChange()
  }

  /// Applies the gain at once, before the first block.
  @_noLocks
  mutating func settle() {
    gain.settle()
    recording?.pointee.settle()
  }

  /// Whether no parameter moves, and no recording plays.
  var isResting: Bool {
    @_noLocks get {
      if let recording, !recording.pointee.isOver { return false }
      return gain.isResting && (!isGuarding || howlGuard.isResting)
    }
  }
}
