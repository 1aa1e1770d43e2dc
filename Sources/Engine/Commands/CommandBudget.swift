/// The work that commands may be in one block, so that no block is given more than its period.
///
/// What is left undone comes first in the next block. A batch that was begun may overdraw a little:
/// one of a few dozen values, such as a preset, is never parted.
struct CommandBudget: BitwiseCopyable {
  // In values that are set, 768,000 a second at 48 kHz: a few percent of a block. One that waited for
  // its time counts twice, because it takes an eighth of a microsecond to find it.
  private static var workPerFrame: Int { @_noLocks get { 16 } }
  // Blocks shorter than four frames are none that a server has.
  private static var leastWork: Int { @_noLocks get { 64 } }
  private static var mostDebt: Int { @_noLocks get { 256 } }
  // A microsecond where another voice must give way to it, or none can be found that does.
  private static var workPerVoice: Int { @_noLocks get { 8 } }

  private var left = 0
  // What is set aside for the rest of the block.
  private var reserve = 0

  @_noLocks
  init() {}

  /// Begins a block of so many frames.
  @_noLocks
  mutating func begin(frames: Int) {
    let work = max(frames &* Self.workPerFrame, Self.leastWork)
    // Half of it is there whatever was overdrawn.
    left = work &+ max(0 &- work / 2, min(left, 0))
    reserve = 0
  }

  /// Sets half of what is left aside until `freeReserve`.
  @_noLocks
  mutating func setReserve() { reserve = max(0, left / 2) }

  /// Allows what was set aside.
  @_noLocks
  mutating func freeReserve() { reserve = 0 }

  /// Whether a command may be done: the first of a batch, or one of a batch that was begun.
  @_noLocks
  func allows(isWithinBatch: Bool) -> Bool {
    left > (isWithinBatch ? reserve &- Self.mostDebt : reserve)
  }

  /// Spends what a command costs, but for the voices that it begins.
  @_noLocks
  mutating func spend(_ action: Command.Action) { left &-= Self.work(action) }

  /// Spends what it costs to put a command into the schedule, or to find it there.
  @_noLocks
  mutating func spendForScheduling() { left &-= 1 }

  /// Spends what voices cost that begin.
  @_noLocks
  mutating func spend(voices: Int) { left &-= voices &* Self.workPerVoice }

  @_noLocks
  private static func work(_ action: Command.Action) -> Int {
    switch action {
    case .note(.on): workPerVoice
    case .note(.off): 4
    case .note(.allOff), .leave, .keep: 16
    case .set, .sync, .resetChain, .clearGuard, .loop, .seek, .load, .copyOut, .capture, .tune,
      .playSong, .instrument, .recordPhrase, .playPhrase, .stopPhrase, .keyMap,
      .presses, .lights, .learn, .key:
      1
    }
  }
}
