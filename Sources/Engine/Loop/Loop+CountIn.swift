/// The count-in: bars that are counted before a recording begins.
extension Loop {
  /// Whether an action waits until bars were counted.
  @_noLocks
  func countsIn(_ action: LoopAction) -> Bool {
    switch action {
    case .record, .recordOn:
      return time.pointee.countInBars > 0 && !state.isRecording && !state.isPlaying
    default: return false
    }
  }

  /// Begins to count: with the next bar of beats that something depends on, else at once.
  ///
  /// Who presses again meanwhile does not begin anew.
  @_noLocks
  mutating func countIn(_ action: LoopAction, at frame: Int64) {
    if isCountPlanned { return }
    if !dependsOnBeat { time.pointee.beats.beginBar(at: frame) }
    pending = action
    countInStart = time.pointee.beats.next(.bar, from: frame)
    pendingExact = time.pointee.beats.exactNext(
      .bar, from: frame, after: time.pointee.countInBars)
    pendingFrame = max(frame, Int64(pendingExact + 0.5))
  }

  /// Whether a recording waits until bars were counted.
  private var isCountPlanned: Bool {
    @_noLocks get { isPending && countInStart < .max && pendingFrame < .max }
  }

  /// Whether the beats are to be heard until a recording begins.
  @_noLocks
  func isCountingIn(at frame: Int64) -> Bool {
    isCountPlanned && countInStart <= frame && frame < pendingFrame
  }

  /// Counts the frames until that changes.
  @_noLocks
  func framesToCountIn(at frame: Int64) -> Int {
    isCountPlanned && countInStart > frame ? Int(min(countInStart &- frame, 1 << 20)) : 1 << 20
  }

  /// Whether something goes on in time, or waits for it: nobody may move the beats.
  var dependsOnBeat: Bool {
    @_noLocks get {
      time.pointee.isBeatInUse || time.pointee.isOtherInTime || goesByBeat
    }
  }

  /// Whether it goes on in time itself, or waits for it.
  var goesByBeat: Bool {
    @_noLocks get {
      if isPending { return true }
      return (isQuantized || time.pointee.hasTempo) && (state.isPlaying || state.isRecording)
    }
  }

  /// The bars that begin before what waits for its beat, and before the count.
  @_noLocks
  func barsWaiting(at frame: Int64) -> (untilAction: Int, untilCount: Int) {
    guard isCountPlanned else { return (0, 0) }
    return (
      time.pointee.beats.bars(from: frame, before: pendingFrame),
      time.pointee.beats.bars(from: frame, before: countInStart)
    )
  }

  /// Moves what waits for its beat to where that is now.
  @_noLocks
  mutating func planAgain(after waiting: (untilAction: Int, untilCount: Int), at frame: Int64) {
    // What is due on this frame is begun on it.
    guard isPending, pendingFrame < .max, pendingFrame > frame else { return }
    if isCountPlanned {
      pendingExact = time.pointee.beats.exactNext(.bar, from: frame, after: waiting.untilAction)
      pendingFrame = max(frame, Int64(pendingExact + 0.5))
      if countInStart > frame {
        countInStart = time.pointee.beats.next(.bar, from: frame, after: waiting.untilCount)
      }
    } else if let quantum {
      setPending(quantum, from: frame)
    }
  }
}
