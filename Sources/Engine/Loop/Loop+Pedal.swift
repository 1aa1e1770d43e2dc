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
  /// What the last press started or queued.
  ///
  /// A long or a double press takes it back first.
  enum Begun: BitwiseCopyable {
    case nothing, recording, playing, overdub
    /// It queued the start or the end of a recording, which nothing takes back.
    case queuedRecording
    /// It queued the end of an overdub.
    case queuedEnd
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

/// One button for everything: record, play, overdub, play, and so on.
extension Loop {
  /// Performs a press of the pedal: the next action of the loop, or what a double press means.
  ///
  /// A second press soon after one that queued the start or the end of a recording does nothing, whether
  /// the beat came in between or not.
  @_noLocks
  mutating func press(at frame: Int64) {
    if pedal.isDown { return }
    pedal.isDown = true
    pedal.awaitsLong = !isOff(pedal.long)
    let isDouble = !isOff(pedal.double) && pedal.isSecond(at: frame, by: sampleRate)
    pedal.pressed = frame
    pedal.wasDouble = false
    switch pedal.begun {
    case .queuedRecording where isDouble: return
    case .recording: break
    default:
      guard isDouble else { break }
      pedal.wasDouble = true
      takeBackPress(at: frame)
      mean(pedal.double, at: frame)
      return
    }
    pressOnce(at: frame)
  }

  /// Performs the next action of the loop, and notes what it started or queued.
  @_noLocks
  private mutating func pressOnce(at frame: Int64) {
    let (hadOverdub, wasPlaying, wasRecording) = (wantsOverdub, state.isPlaying, state.isRecording)
    let action: LoopAction =
      state.isRecording || tape.length == 0 ? .recordOn : state.isPlaying ? .overdub : .play
    let wasQueued = queued.holds(action)
    _ = perform(action, at: frame)
    if queued.holds(action) {
      // A press that finds its action queued already changes nothing.
      pedal.begun = wasQueued ? .nothing : Self.queuedBy(action, endsOverdub: hadOverdub)
    } else if state.isRecording && !wasRecording {
      pedal.begun = .recording
    } else if wantsOverdub && !hadOverdub && wasPlaying {
      pedal.begun = .overdub
    } else {
      pedal.begun = state.isPlaying && !wasPlaying && !wasRecording ? .playing : .nothing
    }
  }

  @_noLocks
  private static func queuedBy(_ action: LoopAction, endsOverdub: Bool) -> Pedal.Begun {
    switch action {
    case .recordOn: .queuedRecording
    case .overdub: endsOverdub ? .queuedEnd : .overdub
    default: .playing
    }
  }

  /// Takes back the overdub that the press before a double one started or queued, or queued to end.
  @_noLocks
  private mutating func takeBackPress(at frame: Int64) {
    switch pedal.begun {
    case .overdub, .queuedEnd:
      if queued.holds(.overdub) {
        queued.clear()
      } else if case .overdub = pedal.begun {
        dropOverdub(at: frame)
      }
    default: break
    }
  }

  /// Takes back an overdub that has just started.
  @_noLocks
  private mutating func dropOverdub(at frame: Int64) {
    if cues.removeLastOverdub() {
      wantsOverdub = false
    } else if tape.isOverdubbing {
      step(.undo, at: frame)
    } else {
      wantsOverdub = false
    }
  }

  /// Performs what a long press means, when the pedal has been held for that long.
  ///
  /// A press that started a recording, or queued its start or its end, has no long meaning: the foot
  /// rests on the pedal.
  @_noLocks
  mutating func turnPedal(at frame: Int64) {
    guard pedal.isWaiting, pedal.next(from: frame, by: sampleRate) <= 0 else { return }
    pedal.awaitsLong = false
    switch pedal.begun {
    case .recording, .queuedRecording: return
    default: break
    }
    takeBackPress(at: frame)
    mean(pedal.long, at: frame)
    pedal.begun = .nothing
  }

  @_noLocks
  private mutating func mean(_ meaning: PedalMeaning, at frame: Int64) {
    switch meaning {
    case .stop:
      var wasStopped = !state.isPlaying && !state.isRecording && !state.isPaused && queued.isEmpty
      if case .playing = pedal.begun { wasStopped = true }
      queued.clear()
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
