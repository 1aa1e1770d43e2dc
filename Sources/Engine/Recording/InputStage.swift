internal import DSP

/// The live input before its strip in the mix: feedback guard, gain and channel strip, or a recording in its place.
struct InputStage: ~Copyable {
  private let buffers = Buffers()
  private(set) var howlGuard: HowlGuard
  // Read instead of the guard, which is not accessed while it is off.
  private(set) var isGuarding = false
  var gain: Fader
  private(set) var channel: ChannelStrip
  // For the sound of a recording at the pitch of the chain, beside the plain one.
  private var pitchedChannel: ChannelStrip
  // Read instead of the strips, which are not accessed while they are off.
  private(set) var usesChannel = false
  /// How much of the recorders' sound comes from after the channel strip, from 0 to 1.
  var recordedShare: Fader
  /// The recording that replaces the input, if any.
  private(set) var recording: UnsafeMutablePointer<RecordedInput>?

  init(sampleRate: Double) {
    howlGuard = HowlGuard(sampleRate: sampleRate)
    gain = Fader(at: 1, sampleRate: Float(sampleRate))
    channel = ChannelStrip(sampleRate: Float(sampleRate))
    pitchedChannel = channel
    recordedShare = Fader(at: 0, sampleRate: Float(sampleRate))
  }

  /// Continues with another driver at the same sample rate.
  @_noLocks
  mutating func restart() { howlGuard.rest(frames: 0) }

  /// Continues at another sample rate, without notches.
  mutating func setSampleRate(_ rate: Double) {
    gain.setSampleRate(Float(rate))
    recordedShare.setSampleRate(Float(rate))
    channel = ChannelStrip(sampleRate: Float(rate))
    pitchedChannel = channel
    usesChannel = false
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

  @_noLocks
  mutating func set(_ parameter: Parameter.Channel, _ value: Float) {
    channel.set(parameter, value)
    pitchedChannel.set(parameter, value)
    if case .isRecorded = parameter { recordedShare.move(to: value) }
    usesChannel = !channel.isOff
  }

  /// Applies the channel strip to a block, in place.
  ///
  /// Returns false if the result is silent.
  @_noLocks
  mutating func processChannel(_ sound: Stereo, isSilent: Bool, frames: Int) -> Bool {
    if isSilent && channel.isResting { return false }
    let isSounding = channel.process(sound, frames: frames)
    usesChannel = !channel.isOff
    return isSounding
  }

  /// Applies the channel strip to the sound of a recording at the pitch of the chain, in place.
  @_noLocks
  mutating func processPitchedChannel(_ sound: Stereo, frames: Int) {
    if !pitchedChannel.process(sound, frames: frames) { sound.clear(frames: frames) }
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
    channel.settle()
    pitchedChannel.settle()
    usesChannel = !channel.isOff
    recordedShare.settle()
    recording?.pointee.settle()
  }

  /// Whether it passes the input unchanged.
  var isPassing: Bool {
    @_noLocks get {
      if case .some = recording { return false }
      return gain.isResting && gain.target == 1 && recordedShare.isResting && !isGuarding
        && !usesChannel
    }
  }

  /// Whether no parameter moves, and no recording plays.
  var isResting: Bool {
    @_noLocks get {
      if let recording, !recording.pointee.isOver { return false }
      return gain.isResting && recordedShare.isResting && (!isGuarding || howlGuard.isResting)
        && (!usesChannel || channel.isResting)
    }
  }
}
