internal import DSP

/// A pedal: pressed for short, for long, or twice.
struct Pedal: BitwiseCopyable {
  /// What a long press means, and a double one.
  var long = PedalMeaning.stop
  var double = PedalMeaning.undo
  var isDown = false
  // When it was pressed last; and whether its long press is still to come.
  var pressed = Int64.min / 2
  var awaitsLong = false
  // Whether the last press was the second of two.
  var wasDouble = false
  /// What the last press began, which a long or a double one takes back first.
  enum Begun: BitwiseCopyable {
    case nothing, recording, playing, overdub
  }
  var begun = Begun.nothing

  @_noLocks
  init() {}

  private static var longSeconds: Double { @_noLocks get { 0.75 } }
  private static var doubleSeconds: Double { @_noLocks get { 0.35 } }

  /// Whether it is held, and will mean something by that.
  var isWaiting: Bool { @_noLocks get { isDown && awaitsLong } }

  /// How many frames until it has been held for long.
  @_noLocks
  func next(from frame: Int64, by sampleRate: Double) -> Int64 {
    isWaiting ? max(0, pressed &+ Int64(Self.longSeconds * sampleRate) &- frame) : .max
  }

  /// Whether it was pressed a moment ago.
  @_noLocks
  func isSecond(at frame: Int64, by sampleRate: Double) -> Bool {
    !wasDouble && frame &- pressed < Int64(Self.doubleSeconds * sampleRate)
  }

  @_noLocks
  mutating func shift(by frames: Int64) { pressed &+= frames }
}

/// One button for all: record, play, overdub, play, and so on.
extension Loop {
  /// Does what the next press of the pedal means.
  @_noLocks
  mutating func press(at frame: Int64) {
    if pedal.isDown { return }
    pedal.isDown = true
    pedal.awaitsLong = !isOff(pedal.long)
    if !isOff(pedal.double) && pedal.isSecond(at: frame, by: sampleRate) && !hasBegunRecording {
      pedal.pressed = frame
      pedal.wasDouble = true
      takeBackPress(at: frame)
      mean(pedal.double, at: frame)
      return
    }
    pedal.pressed = frame
    pedal.wasDouble = false
    let (hadOverdub, wasPlaying, wasRecording) = (wantsOverdub, state.isPlaying, state.isRecording)
    let action: LoopAction =
      state.isRecording || tape.length == 0 ? .recordOn : state.isPlaying ? .overdub : .play
    _ = perform(action, at: frame)
    pedal.begun =
      state.isRecording && !wasRecording
      ? .recording
      : wantsOverdub && !hadOverdub && wasPlaying
        ? .overdub : state.isPlaying && !wasPlaying && !wasRecording ? .playing : .nothing
  }

  private var hasBegunRecording: Bool {
    @_noLocks get {
      if case .recording = pedal.begun { return true }
      return false
    }
  }

  /// Takes back the overdub that the first of two presses, or the beginning of a long one, was.
  @_noLocks
  private mutating func takeBackPress(at frame: Int64) {
    if case .overdub = pedal.begun { dropOverdub(at: frame) }
  }

  /// Takes back an overdub that has just begun.
  @_noLocks
  private mutating func dropOverdub(at frame: Int64) {
    if tape.isOverdubbing {
      step(.undo, at: frame)
    } else {
      wantsOverdub = false
      cues.removeOverdubs()
    }
  }

  /// Does what a long press means, when it has become one.
  @_noLocks
  mutating func turnPedal(at frame: Int64) {
    guard pedal.isWaiting, pedal.next(from: frame, by: sampleRate) <= 0 else { return }
    pedal.awaitsLong = false
    // Held from the first sound on, it is the foot that rests.
    if hasBegunRecording { return }
    takeBackPress(at: frame)
    mean(pedal.long, at: frame)
    pedal.begun = .nothing
  }

  @_noLocks
  private mutating func mean(_ meaning: PedalMeaning, at frame: Int64) {
    switch meaning {
    case .stop:
      var wasStopped = !state.isPlaying && !state.isRecording && !state.isPaused && !isPending
      if case .playing = pedal.begun { wasStopped = true }
      pending = nil
      pendingFrame = .max
      stop(at: frame)
      if wasStopped { _ = perform(.clear, at: frame) }
    case .clear: _ = perform(.clear, at: frame)
    case .undo: _ = perform(.undo, at: frame)
    case .redo: _ = perform(.redo, at: frame)
    case .once: _ = perform(.once, at: frame)
    case .off: break
    }
  }

  @_noLocks
  private func isOff(_ meaning: PedalMeaning) -> Bool {
    if case .off = meaning { return true }
    return false
  }
}
