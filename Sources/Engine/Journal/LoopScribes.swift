internal import DSP

/// Tells in a journal what becomes of all loops, and starts those again that played when it ended.
struct LoopScribes: ~Copyable {
  private let scribes: UnsafeMutablePointer<LoopScribe>
  // In which second of its clip each begins to play with the first driver; negative where it doesn't.
  private let beginnings: UnsafeMutablePointer<Double>
  private let count: Int
  private var journal: LoopJournalPointer?
  // Holds the memory of that.
  private var owner: LoopJournal?
  // What is told at present, and at which rate; 0 where nothing is.
  private var telling: UInt32 = 0
  private var rate = 0
  // The number of the version that was told last.
  private var numbers: UInt32 = 0
  // Whose turn it is to be the first.
  private var first = 0
  // Those of which not all is told.
  private var untold = LoopBits.none
  // By how many frames the loops that play were held up in all, as by blocks that were lost.
  private var heldUp = 0.0
  // Where they are is told every few milliseconds: for how many frames it has not been, and of which it
  // is owed, be they asleep by then.
  private var framesSincePhases = 0
  private var owedPhases = LoopBits.none
  private static var framesOfPhases: Int { @_noLocks get { 512 } }

  /// Scribes of so many loops, without a journal.
  init(count: Int) {
    self.count = count
    scribes = .allocate(capacity: count)
    for index in 0..<count { (scribes + index).initialize(to: LoopScribe(slot: index)) }
    beginnings = .allocate(capacity: count)
    beginnings.initialize(repeating: -1, count: count)
  }

  deinit {
    scribes.deinitialize(count: count)
    scribes.deallocate()
    beginnings.deallocate()
  }

  /// Whether there is something to be told though nothing happens.
  var isBehind: Bool {
    @_noLocks get {
      guard let journal else { return false }
      let wanted = journal.wanted
      return wanted != telling || wanted != 0 && !untold.isEmpty
    }
  }

  /// Tells what has become of the loops in a block, of which those have changed that stirred in it.
  @_noLocks
  mutating func follow(
    _ loops: borrowing Loops, stirred: LoopBits, at frame: Int64, frames: Int, rate: Int
  ) {
    guard let journal else { return }
    let wanted = journal.wanted
    if wanted == 0 {
      telling = 0
      return
    }
    if wanted != telling || rate != self.rate {
      if !journal.rate(rate, telling: wanted) { return }
      telling = wanted
      self.rate = rate
      for index in 0..<count { forget(index, loops) }
      untold = LoopBits(count: count)
    }
    let moved = untold.union(stirred)
    if moved.isEmpty { return }
    var budget = LoopScribe.Budget(frames: frames)
    var numbers = numbers
    first = first &+ 1 >= count ? 0 : first &+ 1
    // From the one whose turn it is, and then those before it.
    var (rest, before) = (moved, moved.first(first))
    rest = rest.subtracting(before)
    while let index = rest.popFirst() ?? before.popFirst() {
      let player = loops.slot(index)
      let isWhole = !player.pointee.tape.isGrowing && !player.pointee.keeping.isUnderWay
      if scribes[index].follow(
        player.pointee.tape.view, player.pointee.tape.touched, at: frame, isWhole: isWhole,
        &numbers, journal, &budget)
      {
        untold.remove(index)
      } else {
        untold.insert(index)
      }
    }
    self.numbers = numbers
    owedPhases = owedPhases.union(moved)
    framesSincePhases &+= frames
    if framesSincePhases >= Self.framesOfPhases || loops.awake.isEmpty {
      framesSincePhases = 0
      followPhases(loops, owedPhases, at: frame, journal)
      owedPhases = .none
    }
  }

  @_noLocks
  private func forget(_ index: Int, _ loops: borrowing Loops) {
    scribes[index].forget()
    let touched = loops.slot(index).pointee.tape.touched
    touched.pointee.removeAll()
    touched.pointee.isWanted = true
  }

  /// Tells which of them play, and where they are in their rounds: how far apart, that is, for all of
  /// them may be held up.
  @_noLocks
  private mutating func followPhases(
    _ loops: borrowing Loops, _ moved: LoopBits, at frame: Int64, _ journal: LoopJournalPointer
  ) {
    var awake = loops.awake
    while let index = awake.popFirst() {
      let player = loops.slot(index)
      let round = player.pointee.tape.round
      guard Self.isSteady(player),
        let delay = scribes[index].delay(
          ofBeginning: beginning(player, at: frame), round: round)
      else { continue }
      heldUp += delay
      break
    }
    var rest = moved
    while let index = rest.popFirst() {
      let player = loops.slot(index)
      let isPlaying = player.pointee.state.isPlaying && !player.pointee.playback.isOnce
      scribes[index].followPhase(
        isPlaying: isPlaying, isSteady: Self.isSteady(player),
        beginning: isPlaying ? beginning(player, at: frame) : 0,
        round: player.pointee.tape.round, journal)
    }
  }

  /// Whether a loop goes round as it was recorded.
  @_noLocks
  private static func isSteady(_ player: UnsafeMutablePointer<Loop>) -> Bool {
    player.pointee.state.isPlaying && !player.pointee.playback.isOnce && !player.pointee.isMoved
      && !player.pointee.playback.isBackward && player.pointee.tape.round >= 1
  }

  /// The frame in which a round began, but for what all loops were held up by.
  @_noLocks
  private func beginning(_ player: UnsafeMutablePointer<Loop>, at frame: Int64) -> Double {
    Double(frame) - heldUp - Double(player.pointee.tape.position)
  }

  // MARK: - From a journal

  /// Begins to tell in a journal, in which versions up to a number are known already.
  mutating func begin(_ journal: LoopJournal, numbers: UInt32) {
    owner = journal
    self.journal = journal.pointer
    self.numbers = numbers
    telling = 0
  }

  /// Goes on with what is known in the journal, as its first telling at a rate, in Hz.
  mutating func goOn(rate: Int) {
    telling = 1
    self.rate = rate
    untold = LoopBits(count: count)
  }

  /// Takes the versions of a loop for told, by their numbers in the journal, and its history if that is
  /// as it was.
  mutating func adopt(
    _ index: Int, _ tape: borrowing LoopTape, _ numbers: [UInt32], isHistoryTold: Bool
  ) {
    let view = tape.view
    tape.touched.pointee.removeAll()
    tape.touched.pointee.isWanted = true
    for place in 0..<min(view.count, numbers.count) {
      scribes[index].adopt(view.versions[place], as: numbers[place], view)
    }
    if isHistoryTold { scribes[index].adoptHistory(view) }
  }

  /// Has a loop begin to play with the first driver, in a second of its clip.
  mutating func start(_ index: Int, at seconds: Double) { beginnings[index] = seconds }

  /// Begins to play what shall be played with the first driver.
  @_noLocks
  mutating func startLoops(_ loops: inout Loops, at frame: Int64) {
    for index in 0..<count where beginnings[index] >= 0 {
      let player = loops.slot(index)
      let place = Int(beginnings[index] * player.pointee.sampleRate + 0.5)
      beginnings[index] = -1
      if player.pointee.tape.length == 0 || player.pointee.state.isRecording { continue }
      loops.wake(index)
      player.pointee.playback.resume = player.pointee.tape.wrapped(place)
      player.pointee.moment.exact = -1
      player.pointee.play(.play, at: frame)
    }
  }
}
