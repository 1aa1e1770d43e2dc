internal import DSP

/// How the clip is played.
struct Playback: BitwiseCopyable {
  /// Opens and closes on the sound.
  var gate = Gate()
  /// The position at which it resumes, 0 for the start.
  var resume = 0
  /// Whether it plays once, regardless of `isLooping`.
  var isOnce = false
  /// The number of the clip that was opened to be heard once, which plays once each time; 0 for none.
  var onceClip = 0
  var isBackward = false
  /// The position at the start of the present segment.
  var previous = 0
  /// The clear that stopped playback last; nil once an action other than undo or redo follows it.
  var cleared: Cleared?
}

/// A clear of a playing loop, which plays on when the clear is undone.
struct Cleared: BitwiseCopyable {
  /// The serial number of the empty version.
  let serial: UInt32
  /// The frame of the clear, and the position in the clip.
  let frame: Int64, place: Int

  @_noLocks
  init(serial: UInt32, frame: Int64, place: Int) {
    self.serial = serial
    self.frame = frame
    self.place = place
  }
}

/// The mute of a loop, which plays on silently.
struct LoopMute: BitwiseCopyable {
  private(set) var isOn = false
  private var gate = Gate()

  @_noLocks
  init() { gate.set(open: true) }

  /// Switches it, with a fade over a number of frames.
  @_noLocks
  mutating func set(_ isOn: Bool, frames: Int) {
    self.isOn = isOn
    gate.move(open: !isOn, frames: frames)
  }

  /// Whether no fade is in progress.
  var isAtRest: Bool { @_noLocks get { gate.isAtRest } }

  /// Applies the mute to a block in place.
  ///
  /// Returns false, and leaves the block unchanged, if the loop is inaudible.
  @_noLocks
  mutating func apply(to sound: Stereo, frames: Int) -> Bool {
    if gate.isOpenAtRest { return true }
    if gate.isClosed { return false }
    gate.apply(to: sound, frames: frames)
    return true
  }
}

/// The values of a loop that are set by its addresses.
struct LoopSettings: BitwiseCopyable {
  /// The source of the recorder.
  var source = Loop.Source.live
  /// The activity after a recording.
  var after = Loop.After.play
  /// The grid that actions wait for, or nil.
  var quantum: LoopGrain?
  /// The length of a recording in beats, 0 for any.
  var beats: Float = 0
  /// The level that starts a recording, 0 for none.
  var threshold: Float = 0
  /// The level of the clip under an overdub, per cycle.
  var feedback: Float = 1
  /// Whether the clip repeats.
  var isLooping = true
}
