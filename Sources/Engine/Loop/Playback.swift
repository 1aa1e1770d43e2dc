internal import DSP

/// How the clip is played.
struct Playback: BitwiseCopyable {
  /// The frame on which it last started.
  var since: Int64 = 0
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
  /// The frames lost by xruns by which a layer keeps it behind.
  var missed = 0
  /// The clear that stopped playback last; nil once an action other than undo or redo follows it.
  var cleared: Cleared?

  /// Moves its times by a number of frames that were lost.
  @_noLocks
  mutating func delay(by frames: Int64) {
    since &+= frames
    cleared?.frame &+= frames
  }
}

/// A clear of a playing loop, which plays on when the clear is undone.
struct Cleared: BitwiseCopyable {
  /// The serial number of the empty version.
  let serial: UInt32
  /// The frame of the clear, and the position in the clip.
  var frame: Int64
  let place: Int

  @_noLocks
  init(serial: UInt32, frame: Int64, place: Int) {
    self.serial = serial
    self.frame = frame
    self.place = place
  }
}

/// The mute of a loop, its own or by the solo of others: it plays on silently.
struct LoopMute: BitwiseCopyable {
  private var isMuted = false
  private var isSilenced = false
  private var gate = Gate()

  /// Whether the loop is muted, for either reason.
  var isOn: Bool { @_noLocks get { isMuted || isSilenced } }

  @_noLocks
  init() { gate.set(open: true) }

  /// Switches it, with a fade over a number of frames; at once if that is 0.
  @_noLocks
  mutating func set(_ isOn: Bool, frames: Int) {
    isMuted = isOn
    follow(frames: frames)
  }

  /// Notes that other loops are soloed, or no longer, in the same way.
  @_noLocks
  mutating func silence(_ isSilenced: Bool, frames: Int) {
    self.isSilenced = isSilenced
    follow(frames: frames)
  }

  @_noLocks
  private mutating func follow(frames: Int) {
    if frames == 0 { gate.set(open: !isOn) } else { gate.move(open: !isOn, frames: frames) }
  }

  /// Ends a fade, for use while the loop is inaudible.
  @_noLocks
  mutating func settle() { follow(frames: 0) }

  /// Whether no fade is in progress.
  var isAtRest: Bool { @_noLocks get { gate.isAtRest } }

  /// Whether the sound passes unchanged.
  var passes: Bool { @_noLocks get { gate.isOpenAtRest } }

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
  /// When a stop takes effect.
  var stopAt = StopTime.now
}

/// When the stop of a loop takes effect.
enum StopTime: BitwiseCopyable {
  case now, beat, bar
  /// At the end of its cycle.
  case end

  @_noLocks
  init(number: Float) {
    self = number == 0 ? .now : number == 1 ? .beat : number == 2 ? .bar : .end
  }

  var isNow: Bool { @_noLocks get { if case .now = self { true } else { false } } }
}
