internal import DSP

/// The pedal of a loop.
struct Pedal: BitwiseCopyable {
  /// The meanings of a long press and of a double one.
  var long = PedalMeaning.stop
  var double = PedalMeaning.undo
  var judge = PressJudge()

  /// The effect of the last press.
  ///
  /// A long or a double press reverts it first.
  enum Begun: BitwiseCopyable {
    case nothing, recording, playing, overdub
    /// The press queued the start or the end of a recording, which is not reverted.
    case queuedRecording
    /// The press queued the end of an overdub.
    case queuedEnd
  }
  var begun = Begun.nothing
  /// Why the last long press was refused, reported with its release.
  var refusal: EngineRefusal?

  /// Whether the overdub that the last press started can still be reverted.
  var mayRevertOverdub: Bool {
    @_noLocks get { if case .overdub = begun { judge.isUndecided } else { false } }
  }

  /// The presses that mean more than a short one, as bits of `PressBits`.
  ///
  /// The press after one that started a recording is never the second of a double one: it ends that.
  var wanted: UInt8 {
    @_noLocks get {
      var wanted: UInt8 = 0
      if long.isOn { wanted |= PressBits.long }
      if case .recording = begun { return wanted }
      if double.isOn { wanted |= PressBits.double }
      return wanted
    }
  }
}

extension PedalMeaning {
  fileprivate var isOn: Bool {
    @_noLocks get { if case .off = self { false } else { true } }
  }
}

/// One button for everything: record, play, overdub, play, and so on.
extension Loop {
  /// Performs a press of the pedal: the next action of the loop, or that of a double press.
  ///
  /// A second press soon after one that queued the start or the end of a recording, or found it queued, has
  /// no effect, even if the beat has passed in between. Returns the reason if the action is refused.
  @_noLocks
  mutating func press(at frame: Int64) -> EngineRefusal? {
    turnPedal(at: frame)
    // Another input already holds it.
    if pedal.judge.isClosed { return nil }
    let press = pedal.judge.press(at: frame, wanted: pedal.wanted, time.pointee.presses)
    if press & PressBits.down == 0 { return nil }
    pedal.refusal = nil
    if press & PressBits.double == 0 { return pressOnce(at: frame) }
    switch pedal.begun {
    case .queuedRecording: return nil
    case .nothing where queued.holds(.recordOn): return nil
    default: break
    }
    takeBackPress()
    let refusal = mean(pedal.double, at: frame)
    pedal.begun = .nothing
    confirmPress()
    return refusal
  }

  /// Releases the pedal.
  ///
  /// Returns the reason if the action of a long press was refused.
  @_noLocks
  mutating func release(at frame: Int64) -> EngineRefusal? {
    turnPedal(at: frame)
    _ = pedal.judge.lift(at: frame, wanted: pedal.wanted, time.pointee.presses)
    confirmPress()
    defer { pedal.refusal = nil }
    return pedal.refusal
  }

  /// Confirms the overdub of a press that can't be reverted any more.
  @_noLocks
  private mutating func confirmPress() {
    if !pedal.judge.isUndecided { tape.confirmOverdub() }
  }

  /// Performs the next action of the loop, and records what it started or queued.
  @_noLocks
  private mutating func pressOnce(at frame: Int64) -> EngineRefusal? {
    let (hadOverdub, wasPlaying, wasRecording) = (layer.isOn, state.isPlaying, state.isRecording)
    let action: LoopAction =
      state.isRecording || tape.length == 0 ? .recordOn : state.isPlaying ? .overdub : .play
    let wasQueued = queued.holds(action)
    let refusal = perform(action, at: frame)
    if queued.holds(action) {
      // A press whose action is already queued has no effect.
      pedal.begun = wasQueued ? .nothing : Self.queuedBy(action, endsOverdub: hadOverdub)
    } else if state.isRecording && !wasRecording {
      pedal.begun = .recording
    } else if layer.isOn && !hadOverdub && wasPlaying {
      pedal.begun = .overdub
    } else {
      pedal.begun = state.isPlaying && !wasPlaying && !wasRecording ? .playing : .nothing
    }
    return refusal
  }

  @_noLocks
  private static func queuedBy(_ action: LoopAction, endsOverdub: Bool) -> Pedal.Begun {
    switch action {
    case .recordOn: .queuedRecording
    case .overdub: endsOverdub ? .queuedEnd : .overdub
    default: .playing
    }
  }

  /// Reverts the overdub that the first press of a double one started or queued, or queued to end.
  @_noLocks
  private mutating func takeBackPress() {
    switch pedal.begun {
    case .overdub, .queuedEnd:
      if queued.holds(.overdub) {
        queued.clear()
      } else if case .overdub = pedal.begun {
        dropOverdub()
      }
    default: break
    }
  }

  /// Reverts an overdub that has just started, and leaves no trace of it in the history.
  @_noLocks
  private mutating func dropOverdub() {
    // Another action has begun since.
    if isGrowing { return }
    layer.end()
    if cues.removeLastOverdub() { return }
    cues.removeOverdubs()
    // Keeps a layer that had just ended and that this overdub continued.
    if !tape.revertOverdub() { tape.endOverdub() }
  }

  /// Performs the action of a long press when the pedal has been held long enough.
  ///
  /// A press that started a recording, or queued its start or end, has no long press: the foot may
  /// rest on the pedal.
  @_noLocks
  mutating func turnPedal(at frame: Int64) {
    while true {
      let press = pedal.judge.judge(at: frame, wanted: pedal.wanted, time.pointee.presses)
      if press == 0 { return }
      if press & PressBits.long != 0 { holdPedal(at: frame) }
      confirmPress()
    }
  }

  @_noLocks
  private mutating func holdPedal(at frame: Int64) {
    switch pedal.begun {
    case .recording, .queuedRecording: return
    default: break
    }
    takeBackPress()
    pedal.refusal = mean(pedal.long, at: frame)
    if case .some = pedal.refusal, case .playing = pedal.begun {
      queued.clear()
      stop(at: frame)
    }
    pedal.begun = .nothing
  }

  @_noLocks
  private mutating func mean(_ meaning: PedalMeaning, at frame: Int64) -> EngineRefusal? {
    switch meaning {
    case .stop:
      var wasStopped = !state.isPlaying && !state.isRecording && !state.isPaused && queued.isEmpty
      if case .playing = pedal.begun { wasStopped = true }
      queued.clear()
      stop(at: frame)
      return wasStopped ? perform(.clear, at: frame) : nil
    case .clear: return perform(.clear, at: frame)
    case .undo: return perform(.undo, at: frame)
    case .redo: return perform(.redo, at: frame)
    case .once: return perform(.once, at: frame)
    case .off: return nil
    }
  }
}
