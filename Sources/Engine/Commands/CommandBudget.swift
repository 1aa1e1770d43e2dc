/// The work that commands may cause in one block, so that no block misses its deadline.
///
/// The rest comes first in the next block. A batch that has started may overdraw the budget: a
/// batch of a few dozen values, such as a preset, is never split.
struct CommandBudget: BitwiseCopyable {
  // In set values: 768,000 per second at 48 kHz, a few percent of a block. A scheduled command counts twice,
  // because finding it takes an eighth of a microsecond.
  private static var workPerFrame: Int { @_noLocks get { 16 } }
  // No server has periods shorter than four frames.
  private static var leastWork: Int { @_noLocks get { 64 } }
  private static var mostDebt: Int { @_noLocks get { 256 } }
  // A microsecond if another voice must be stolen, or none can be found.
  private static var workPerVoice: Int { @_noLocks get { 8 } }

  private var left = 0
  // Reserved for the rest of the block.
  private var reserve = 0

  /// Whether nothing was overdrawn.
  var isLeft: Bool { @_noLocks get { left >= 0 } }

  /// Starts a block.
  @_noLocks
  mutating func begin(frames: Int) {
    let work = max(frames &* Self.workPerFrame, Self.leastWork)
    // Half of the budget is available after any overdraft.
    left = work &+ max(0 &- work / 2, min(left, 0))
    reserve = 0
  }

  /// Reserves half of the remaining budget until `freeReserve`.
  @_noLocks
  mutating func setReserve() { reserve = max(0, left / 2) }

  /// Releases the reserve.
  @_noLocks
  mutating func freeReserve() { reserve = 0 }

  /// Whether a command may be applied: the first of a batch, or one of a batch that has started.
  @_noLocks
  func allows(isWithinBatch: Bool) -> Bool {
    left > (isWithinBatch ? reserve &- Self.mostDebt : reserve)
  }

  /// Spends the cost of a command, without that of the voices that it starts.
  @_noLocks
  mutating func spend(_ action: Command.Action) { left &-= Self.work(action) }

  /// Spends the cost of scheduling a command or finding it.
  @_noLocks
  mutating func spendForScheduling() { left &-= 1 }

  /// Spends the cost of voices that start.
  @_noLocks
  mutating func spend(voices: Int) { left &-= voices &* Self.workPerVoice }

  @_noLocks
  private static func work(_ action: Command.Action) -> Int {
    switch action {
    case .note(.on): workPerVoice
    case .note(.off): 4
    case .note(.allOff), .leave, .keep, .exchange, .fadeAll, .stopAll, .releaseMIDI: 16
    case .set, .sync, .ringOut, .resetChain, .clearGuard, .loop, .nextLoop, .fade, .seek, .load,
      .copyOut,
      .capture, .captureForTuner, .session, .sessionRing, .markSession, .playSong, .closeSong,
      .instrument,
      .recordPhrase,
      .playPhrase,
      .stopPhrase,
      .keyMap, .setPressMap, .setLightMap, .programChange, .learn, .key:
      1
    }
  }
}
