/// The action that waits for its beat, for a count-in, for sound, or for a clip to be complete.
struct Queued: BitwiseCopyable {
  /// The action, or nil with nothing queued.
  private(set) var action: LoopAction?
  /// The frame at which it is due; `.max` with nothing queued, and while only sound is awaited.
  private(set) var frame = Int64.max
  /// The time that `frame` was rounded from, in frames; negative if no grid set it.
  private(set) var exact = -1.0
  /// The frame at which the count-in starts; `.max` without one.
  private(set) var countStart = Int64.max
  /// Whether it waits until a clip that has grown is complete; then it acts like a new request.
  private(set) var waitsForClip = false
  // The bars of the count-in.
  private var barsCounted = 0
  // Bars until the action and until the count-in, and beats until the action, saved while the beats move.
  private var barsToAction = 0, barsToCount = 0
  private var beatsToAction = 0.0
  // How often it is checked whether the clip is complete, in frames.
  private static var checkFrames: Int64 { @_noLocks get { 64 } }
  // The beats that a correction may take from a count-in.
  private static var leastJump: Double { @_noLocks get { 0.25 } }

  var isEmpty: Bool { @_noLocks get { if case .some = action { false } else { true } } }

  /// Whether this action is queued.
  @_noLocks
  func holds(_ other: LoopAction) -> Bool {
    guard let action else { return false }
    return unsafeBitCast(action, to: UInt8.self) == unsafeBitCast(other, to: UInt8.self)
  }

  /// Removes the action.
  @_noLocks
  mutating func clear() { self = Queued() }

  /// Queues an action for a time in frames, replacing the previous one.
  ///
  /// A negative time is due at once.
  @_noLocks
  mutating func put(_ action: LoopAction, due exact: Double, from frame: Int64) {
    putUntilSound(action)
    self.exact = exact
    self.frame = exact < 0 ? frame : max(frame, Int64(exact + 0.5))
  }

  /// Queues an action until the input exceeds the threshold, replacing the previous one.
  @_noLocks
  mutating func putUntilSound(_ action: LoopAction) {
    self = Queued()
    self.action = action
  }

  /// Queues an action until a clip that has grown is complete, replacing the previous one.
  ///
  /// That takes the latency of a layer, and 1/64 of the clip's duration.
  @_noLocks
  mutating func putUntilComplete(_ action: LoopAction, from frame: Int64) {
    putUntilSound(action)
    self.frame = frame &+ Self.checkFrames
    waitsForClip = true
  }

  /// Queues an action after a count-in of whole bars, replacing the previous one.
  @_noLocks
  mutating func put(
    _ action: LoopAction, afterBars bars: Int, of beats: BeatClock, from frame: Int64
  ) {
    put(action, due: beats.exactNext(.bar, from: frame, after: bars), from: frame)
    countStart = beats.next(.bar, from: frame)
    barsCounted = bars
  }

  /// Whether the action is due by a frame, apart from any sound that it waits for.
  @_noLocks
  func isDue(by frame: Int64) -> Bool { self.frame <= frame }

  /// Returns the frames until the action is due, or `Int.max` if that is unknown.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int {
    self.frame == .max ? .max : Int(max(0, self.frame &- frame))
  }

  // MARK: - Count-in

  /// Whether the action waits for the end of a count-in.
  var isCounted: Bool { @_noLocks get { !isEmpty && countStart < .max } }

  /// Whether the count-in is audible at a frame.
  @_noLocks
  func isCounting(at frame: Int64) -> Bool {
    isCounted && countStart <= frame && frame < self.frame
  }

  /// Returns the frames until the count-in starts, up to a large limit.
  @_noLocks
  func framesToCount(at frame: Int64) -> Int {
    isCounted && countStart > frame ? Int(min(countStart &- frame, 1 << 20)) : 1 << 20
  }

  // MARK: - Beats that move

  /// Moves the action by a number of frames.
  @_noLocks
  mutating func delay(by frames: Int64) {
    if frame < .max { frame &+= frames }
    if exact >= 0 { exact += Double(frames) }
    if countStart < .max { countStart &+= frames }
  }

  /// Converts the action to another sample rate, around a frame that stays.
  mutating func convert(by ratio: Double, around pivot: Int64) {
    if frame < .max { frame = pivot &+ Handover.scaled(frame &- pivot, by: ratio) }
    if exact >= 0 { exact = max(0, Double(pivot) + (exact - Double(pivot)) * ratio) }
    if countStart < .max {
      countStart = pivot &+ Handover.scaled(countStart &- pivot, by: ratio)
    }
  }

  /// Saves how many bars are left until a counted action, before the beats move.
  @_noLocks
  mutating func saveBars(of beats: BeatClock, at frame: Int64) {
    guard isCounted else { return }
    barsToAction = beats.bars(from: frame, before: self.frame)
    barsToCount = beats.bars(from: frame, before: countStart)
    beatsToAction = self.beats(of: beats, from: frame)
  }

  // The beats from a frame until the action.
  @_noLocks
  private func beats(of beats: BeatClock, from frame: Int64) -> Double {
    (exact - Double(frame)) / beats.exact(1)
  }

  /// Moves a counted action to the same number of bars as before the beats moved.
  ///
  /// A jump that would cut the count-in short starts it again.
  @_noLocks
  mutating func restoreBars(of beats: BeatClock, at frame: Int64) {
    exact = beats.exactNext(.bar, from: frame, after: barsToAction)
    if countStart <= frame && self.beats(of: beats, from: frame) < beatsToAction - Self.leastJump {
      exact = beats.exactNext(.bar, from: frame, after: barsCounted)
      countStart = beats.next(.bar, from: frame)
    }
    self.frame = max(frame, Int64(exact + 0.5))
    if countStart > frame { countStart = beats.next(.bar, from: frame, after: barsToCount) }
  }
}
