internal import DSP

/// Writes the changes of all loops to the journal, and restarts loops that played when it ended.
struct LoopTrackers: ~Copyable {
  private let buffers = Buffers()
  private let trackers: UnsafeMutablePointer<LoopTracker>
  // The position in its clip at which each loop starts with the first driver, in seconds; negative if it
  // doesn't.
  private let starts: UnsafeMutablePointer<Double>
  private let count: Int
  private var inlet: JournalInlet
  // The number and the sample rate of the present snapshot; 0 for none.
  private var snapshot: UInt32 = 0
  private var rate = 0
  // The loop to write first.
  private var first = 0
  // The loops with unwritten changes.
  private var unwritten = LoopBits.none
  // The frames by which all playing loops were delayed together, as by xruns.
  private var delayed = 0.0
  // Phases are written every few milliseconds: the frames since the last time, and the loops that are
  // due, even if they sleep by then.
  private var framesSincePhases = 0
  private var duePhases = LoopBits.none
  private static var framesOfPhases: Int { @_noLocks get { 512 } }

  /// Creates trackers of `count` loops.
  init(count: Int, _ journal: LoopJournal) {
    self.count = count
    inlet = JournalInlet(journal)
    trackers = buffers.made(count: count) { LoopTracker(slot: $0) }
    starts = buffers.filled(with: -1, count: count)
  }

  /// Whether there is work even if no loop changes.
  var isBehind: Bool { @_noLocks get { isBehind(besides: .none) } }

  /// Whether there is work even if no loop changes but these, to which layers are added.
  ///
  /// Pages of a layer are written at leisure.
  @_noLocks
  func isBehind(besides layered: LoopBits) -> Bool {
    if isSnapshotDue { return true }
    if snapshot != 0 && !unwritten.subtracting(layered).isEmpty { return true }
    return layered.isEmpty && inlet.isHolding
  }

  /// Whether another snapshot is requested.
  var isSnapshotDue: Bool { @_noLocks get { inlet.requestedSnapshot != snapshot } }

  /// Writes the changes of a block, in which only the loops in `stirred` can have changed.
  @_noLocks
  mutating func follow(
    _ loops: borrowing Loops, stirred: LoopBits, at frame: Int64, frames: Int, rate: Int
  ) {
    inlet.release(most: max(64, frames))
    let requested = inlet.requestedSnapshot
    if requested == 0 {
      snapshot = 0
      return
    }
    if requested != snapshot || rate != self.rate {
      if !inlet.write(LoopRecord(.rate, other: Int(requested), frames: rate)) { return }
      snapshot = requested
      self.rate = rate
      for index in 0..<count {
        trackers[index].reset()
        loops.slot(index).pointee.tape.startTracking()
      }
      unwritten = LoopBits(count: count)
    }
    let changed = unwritten.union(stirred)
    if changed.isEmpty { return }
    inlet.budget = max(2048, 64 &* frames)
    first = first &+ 1 >= count ? 0 : first &+ 1
    // From the first one on, and then those before it.
    var (rest, before) = (changed, changed.first(first))
    rest = rest.subtracting(before)
    while let index = rest.popFirst() ?? before.popFirst() {
      let player = loops.slot(index)
      let isWhole = !player.pointee.tape.isFilling && !player.pointee.keeping.isUnderWay
      let tracker = trackers + index
      if tracker.pointee.follow(player.pointee.tape.view, at: frame, isWhole: isWhole, &inlet) {
        unwritten.remove(index)
      } else {
        unwritten.insert(index)
      }
    }
    duePhases = duePhases.union(changed)
    framesSincePhases &+= frames
    if framesSincePhases >= Self.framesOfPhases || loops.awake.isEmpty {
      framesSincePhases = 0
      followPhases(loops, at: frame)
      duePhases = .none
    }
  }

  /// Counts frames in which nothing changed, but the phases of these loops.
  @_noLocks
  mutating func skip(frames: Int, stirred: LoopBits) {
    if snapshot == 0 { return }
    duePhases = duePhases.union(stirred)
    framesSincePhases &+= frames
  }

  /// Writes which loops play, and their phases relative to each other, as all can be delayed together.
  @_noLocks
  private mutating func followPhases(
    _ loops: borrowing Loops, at frame: Int64
  ) {
    var awake = loops.awake
    while let index = awake.popFirst() {
      let player = loops.slot(index)
      guard Self.isSteady(player),
        let delay = trackers[index].delay(
          ofBeginning: beginning(player, at: frame), round: player.pointee.tape.round)
      else { continue }
      delayed += delay
      break
    }
    var rest = duePhases
    while let index = rest.popFirst() {
      let player = loops.slot(index)
      let isPlaying = player.pointee.state.isPlaying && !player.pointee.playback.isOnce
      (trackers + index).pointee.followPhase(
        isPlaying: isPlaying, isSteady: Self.isSteady(player),
        beginning: isPlaying ? beginning(player, at: frame) : 0,
        round: player.pointee.tape.round, &inlet)
    }
  }

  /// Whether a loop repeats as it was recorded.
  @_noLocks
  private static func isSteady(_ player: UnsafeMutablePointer<Loop>) -> Bool {
    player.pointee.state.isPlaying && !player.pointee.playback.isOnce && !player.pointee.isMoved
      && !player.pointee.playback.isBackward && player.pointee.tape.round >= 1
  }

  /// The frame at which the present cycle started, without the common delay.
  @_noLocks
  private func beginning(_ player: UnsafeMutablePointer<Loop>, at frame: Int64) -> Double {
    Double(frame) - delayed - Double(player.pointee.tape.position)
  }

  // MARK: - While nothing renders

  /// Gives the versions serial numbers after the latest one of the journal.
  mutating func continueSerials(after latestSerial: UInt32, _ loops: borrowing Loops) {
    let clips = loops.memory.clips
    clips.latestSerial = max(clips.latestSerial, latestSerial)
    for index in 0..<count { loops.slot(index).pointee.tape.startTracking() }
    snapshot = 0
  }

  /// Continues with loops in another pool, of which a snapshot is written.
  mutating func use(_ pool: ClipPool) {
    inlet.use(pool)
    rate = 0
  }

  /// Marks the versions of a loop as written, with their serial numbers in the journal, and the order too
  /// if `hasHistory`.
  mutating func adopt(
    _ index: Int, _ tape: borrowing LoopTape, _ serials: [UInt32], hasHistory: Bool
  ) {
    let view = tape.view
    for place in 0..<min(view.count, serials.count) {
      tape.setSerial(view.versions[place], serials[place])
    }
    trackers[index].adopt(view, hasHistory: hasHistory)
  }

  /// Continues the journal as its first snapshot, at a sample rate in Hz.
  mutating func resume(rate: Int) {
    snapshot = 1
    self.rate = rate
    unwritten = LoopBits(count: count)
  }

  /// Makes a loop start with the first driver, at a position in its clip in seconds.
  mutating func start(_ index: Int, at seconds: Double) { starts[index] = seconds }

  /// Starts the loops that start with the first driver.
  @_noLocks
  mutating func startLoops(_ loops: inout Loops, at frame: Int64) {
    for index in 0..<count where starts[index] >= 0 {
      let player = loops.slot(index)
      let place = Int(starts[index] * player.pointee.sampleRate + 0.5)
      starts[index] = -1
      if player.pointee.tape.length == 0 || player.pointee.state.isRecording { continue }
      loops.wake(index)
      player.pointee.playback.resume = player.pointee.tape.wrapped(place)
      player.pointee.moment.exact = -1
      player.pointee.play(.play, at: frame)
    }
  }
}
