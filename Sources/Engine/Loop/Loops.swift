internal import CRealtime
internal import DSP

/// The loops of the engine, and what they share: memory, time, and the history of their sources.
struct Loops: ~Copyable {
  // First, because ThreadSanitizer attributes a write through a constant pointer to the first field. A count
  // would be the same address for all engines.
  let time: UnsafeMutablePointer<LoopTime>
  let count: Int
  let setup: LoopSetup
  let memory: LoopMemory
  private let players: UnsafeMutablePointer<Loop>
  private let histories: UnsafeMutablePointer<SourceHistory>
  private let buffers = Buffers()
  /// The loops that need processing.
  private(set) var awake: LoopBits
  // The loops that were awake at any time since the last `takeStirred`.
  private var stirred: LoopBits

  init(_ setup: LoopSetup, sampleRate: Double) {
    self.setup = setup
    count = setup.count
    memory = LoopMemory(setup, sampleRate: sampleRate)
    let (memory, buffers) = (memory, buffers)
    let time = buffers.box(LoopTime(sampleRate: sampleRate))
    self.time = time
    let histories = buffers.made(count: Loop.Source.count) { SourceHistory(memory.histories[$0]) }
    self.histories = histories
    let piece = buffers.stereo(LoopTape.longestPiece)
    let window = buffers.stereo(Layer.windowFrames)
    players = buffers.made(count: count) { _ in
      Loop(
        memory.clips, seconds: setup.seconds, time: time, histories: histories, piece: piece,
        window: window, sampleRate: sampleRate)
    }
    awake = LoopBits(count: count)
    stirred = awake
    followSources()
  }

  /// The loop with an index from 0.
  @_noLocks
  func slot(_ index: Int) -> UnsafeMutablePointer<Loop> { players + index }

  /// Whether a loop needs processing.
  @_noLocks
  func isAwake(_ index: Int) -> Bool { awake.contains(index) }

  /// Whether a condition holds for any loop that needs processing.
  @_noLocks
  private func isAnyAwake(where holds: (UnsafeMutablePointer<Loop>) -> Bool) -> Bool {
    var rest = awake
    while let index = rest.popFirst() {
      if holds(players + index) { return true }
    }
    return false
  }

  /// Wakes a loop.
  @_noLocks
  mutating func wake(_ index: Int) {
    awake.insert(index)
    stirred.insert(index)
  }

  /// Puts idle loops to sleep.
  @_noLocks
  mutating func letSleep() {
    if awake.isEmpty { return }
    var rest = awake
    while let index = rest.popFirst() {
      if players[index].isAtRest { awake.remove(index) }
    }
  }

  /// Returns the loops that were awake at any time since the last call.
  @_noLocks
  mutating func takeStirred() -> LoopBits {
    defer { stirred = awake }
    return stirred
  }

  // MARK: - Actions

  /// Performs an action of a loop, or queues it for its beat.
  ///
  /// Returns the reason if it is refused.
  @_noLocks
  mutating func perform(_ action: LoopAction, of index: Int, at frame: Int64) -> EngineRefusal? {
    guard index < count else { return .noSuchLoop }
    wake(index)
    prepare(index, at: frame)
    let refusal = players[index].perform(action, at: frame)
    settle(index)
    return refusal
  }

  /// Retroactive recording: makes a clip of the recent past of the source.
  @_noLocks
  mutating func keep(
    _ amount: Float, isBars: Bool, in index: Int, at frame: Int64
  ) -> EngineRefusal? {
    guard index < count else { return .noSuchLoop }
    wake(index)
    prepare(index, at: frame)
    return players[index].keep(frames: frames(amount, isBars: isBars, in: index), at: frame)
  }

  /// Replaces the clip of a loop by one in memory.
  @_noLocks
  mutating func exchange(
    _ index: Int, _ pointer: ClipPointer, plays: Bool, origin: CommandOrigin, at frame: Int64
  ) -> EngineRefusal? {
    guard index < count else { return .noSuchLoop }
    wake(index)
    prepare(index, at: frame)
    let refusal = players[index].exchange(pointer, plays: plays, origin: origin, at: frame)
    settle(index)
    return refusal
  }

  /// Returns the length of bars or seconds in frames.
  @_noLocks
  func frames(_ amount: Float, isBars: Bool, in index: Int) -> Double {
    let beats = time.pointee.beats
    return Double(amount)
      * (isBars ? beats.exact(Float(beats.beatsPerBar)) : players[index].sampleRate)
  }

  /// The loop that records or is about to, or else the first empty one.
  var next: Int? {
    @_noLocks get {
      for index in 0..<count
      where slot(index).pointee.state.isRecording || slot(index).pointee.queued.holds(.recordOn) {
        return index
      }
      for index in 0..<count
      where slot(index).pointee.tape.length == 0 && slot(index).pointee.queued.isEmpty {
        return index
      }
      return nil
    }
  }

  /// Silences all loops but those that are soloed, if any is.
  @_noLocks
  func setSoloed(_ soloed: LoopBits) {
    for index in 0..<count {
      slot(index).pointee.silence(!soloed.isEmpty && !soloed.contains(index))
    }
  }

  /// Stops all loops that play.
  @_noLocks
  mutating func stopAll(at frame: Int64) {
    var rest = awake
    while let index = rest.popFirst() {
      if slot(index).pointee.state.isPlaying { _ = slot(index).pointee.begin(.stop, at: frame) }
    }
  }

  /// Prepares the state of other loops that an action depends on.
  @_noLocks
  func prepare(_ index: Int, at frame: Int64) {
    time.pointee.round = round(at: frame)
    time.pointee.isOtherInTime = false
    var others = awake
    others.remove(index)
    while let other = others.popFirst() {
      if players[other].goesByBeat { time.pointee.isOtherInTime = true }
    }
  }

  /// Lets the next recording set the tempo again when all loops are empty.
  @_noLocks
  private func settle(_ index: Int) {
    guard time.pointee.hasTempo, players[index].tape.length == 0 else { return }
    if case .recordReady = players[index].state {} else { return }
    for other in 0..<count where players[other].tape.length > 0 { return }
    time.pointee.hasTempo = false
  }

  /// The cycle of the first loop that plays, at its present speed.
  @_noLocks
  func round(at frame: Int64) -> LoopRound {
    var round = LoopRound()
    var rest = awake
    while let index = rest.popFirst() {
      guard players[index].state.isPlaying, players[index].tape.length > 0,
        !players[index].playback.isOnce
      else { continue }
      let speed = Double(max(0.01, players[index].warp.speed))
      round.length = players[index].tape.round / speed
      // Its phase contains the fraction of a frame that rounding dropped.
      let phase = Double(players[index].tape.phase) / 4_294_967_296
      let whole = Double(players[index].tape.length)
      let missing = whole - players[index].tape.round
      let next = phase - missing < 0 ? phase - missing + 1 : phase - missing
      let rest = Double(players[index].tape.framesToRound) / speed
      round.next = Double(frame) + rest + (missing > 0 ? next - 0.5 : 0)
      // A cycle starts now.
      if players[index].tape.position == 0 && !players[index].isMoved {
        round.next = Double(frame) + (missing > 0 ? phase - 0.5 : 0)
      }
      return round
    }
    return round
  }

  // MARK: - Time

  /// Counts the beats up to a block that starts at a frame, and sets the speeds of the loops that follow them.
  @_noLocks
  func followTempo(at frame: Int64, block frames: Int) {
    time.pointee.count.advance(to: frame, time.pointee.beats, block: frames)
    time.pointee.formerBlockStart = time.pointee.blockStart
    time.pointee.blockStart = frame
    var rest = awake
    while let index = rest.popFirst() { players[index].followTempo(at: frame) }
  }

  /// Sets a parameter of all loops.
  @_noLocks
  mutating func set(_ parameter: Parameter.Beat, _ value: Float, at frame: Int64) {
    switch parameter {
    case .tempo:
      noteWaiting(at: frame)
      time.pointee.beats.setTempo(value, at: frame)
      planAgain(at: frame)
    case .beatsPerBar:
      noteWaiting(at: frame)
      time.pointee.beats.setBeatsPerBar(Int(value))
      planAgain(at: frame)
    case .countIn: time.pointee.countInBars = Int(value)
    case .fitsFirst: time.pointee.setsTempo = value != 0
    case .lateness: time.pointee.lateness = Double(value)
    case .slowest: time.pointee.beats.slowest = Double(value)
    case .fastest: time.pointee.beats.fastest = Double(value)
    case .source, .offset, .sendsClock, .clockOffset, .stopsLoops: break
    }
  }

  /// Follows a rolling transport.
  ///
  /// Queued actions wait for its beats.
  @_noLocks
  mutating func follow(_ transport: Transport, at frame: Int64) {
    noteWaiting(at: frame)
    if time.pointee.beats.follow(transport, at: frame) { planAgain(at: frame) }
  }

  /// Follows another clock, from its position at a frame, `frames` after the last one.
  @_noLocks
  mutating func follow(_ clock: ClockPosition, at frame: Int64, after frames: Int) {
    noteWaiting(at: frame)
    if time.pointee.beats.follow(clock, at: frame, after: frames) { planAgain(at: frame) }
  }

  @_noLocks
  private func noteWaiting(at frame: Int64) {
    var rest = awake
    while let index = rest.popFirst() {
      players[index].queued.saveBars(of: time.pointee.beats, at: frame)
    }
  }

  @_noLocks
  private func planAgain(at frame: Int64) {
    time.pointee.round = round(at: frame)
    var rest = awake
    while let index = rest.popFirst() {
      players[index].planAgain(at: frame)
    }
  }

  /// Whether anything depends on the beats, which must then not move.
  var dependsOnBeat: Bool {
    @_noLocks get {
      time.pointee.isBeatInUse || isAnyAwake { $0.pointee.goesByBeat }
    }
  }

  /// Whether a count-in is audible.
  @_noLocks
  func isCountingIn(at frame: Int64) -> Bool {
    isAnyAwake { $0.pointee.queued.isCounting(at: frame) }
  }

  /// Performs the actions that are due at a frame.
  @_noLocks
  func turn(at frame: Int64) {
    var rest = awake
    while let index = rest.popFirst() { players[index].turn(at: frame) }
  }

  /// Returns the frames until something is due.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int {
    var frames = 1 << 20
    var rest = awake
    while let index = rest.popFirst() {
      frames = min(frames, players[index].queued.framesToCount(at: frame))
      frames = min(frames, players[index].framesToGo(at: frame))
    }
    return frames
  }

  // MARK: - Sound

  /// Applies pitch and stretch of the chain to all loops.
  @_noLocks
  func follow(_ chain: ChainWarp, at frame: Int64) {
    for index in 0..<count { players[index].follow(chain, at: frame) }
  }

  /// Whether a loop plays or records.
  var isRunning: Bool {
    @_noLocks get {
      isAnyAwake { $0.pointee.state.isPlaying || $0.pointee.state.isRecording }
    }
  }

  /// Whether a loop waits for the input to be loud enough.
  @_noLocks
  func isWaitingForSound(at frame: Int64) -> Bool {
    isAnyAwake { $0.pointee.isWaitingForSound(at: frame) }
  }

  /// Starts the recording of a loop that waited for sound.
  @_noLocks
  func hearSound(_ index: Int, at frame: Int64) {
    prepare(index, at: frame)
    players[index].hearSound(at: frame)
  }

  /// Whether a loop needs its source.
  var isListening: Bool {
    @_noLocks get { isAnyAwake { $0.pointee.isListening } }
  }

  /// Records the recent sound of the sources that some loop listens to, and of no other.
  @_noLocks
  func followSources() {
    var wanted: UInt8 = 0
    for index in 0..<count { wanted |= 1 &<< players[index].settings.source.number }
    for number in 0..<Loop.Source.count {
      (histories + number).pointee.setWanted(wanted &>> UInt8(number) & 1 == 1)
    }
  }

  /// Adds the next block of a source to its history, or silence.
  @_noLocks
  func remember(_ sound: Stereo?, in source: Loop.Source, frames: Int) {
    let history = Self.history(of: source, among: histories)
    if let sound {
      history.pointee.write(sound, frames: frames)
    } else {
      history.pointee.rest(frames: frames)
    }
  }

  /// Whether only the live input is remembered.
  var remembersOnlyInput: Bool {
    @_noLocks get {
      for number in 1..<Loop.Source.count {
        if !(histories + number).pointee.isUnused { return false }
      }
      return true
    }
  }

  /// The history of the live input.
  var inputHistory: UnsafeMutablePointer<SourceHistory> {
    @_noLocks get { Self.history(of: .live, among: histories) }
  }

  /// The history of a source.
  @_noLocks
  static func history(
    of source: Loop.Source, among histories: UnsafeMutablePointer<SourceHistory>
  ) -> UnsafeMutablePointer<SourceHistory> {
    histories + Int(source.number)
  }

  // MARK: - Lost frames

  /// Moves the beats, and all that the loops have planned, by a number of frames.
  @_noLocks
  func delay(by frames: Int64) {
    time.pointee.beats.delay(by: frames)
    for index in 0..<count { players[index].delay(by: frames) }
  }

  /// Moves the loops that play in time on to where they would be if no frames had been lost.
  @_noLocks
  func catchUp(_ frames: Int64) {
    var rest = awake
    while let index = rest.popFirst() { players[index].catchUp(frames) }
  }

  // MARK: - Another driver

  /// The bit of the first loop whose recording or layer was ended, after those that dropped a queued action.
  static var firstEnded: UInt32 { @_noLocks get { 16 } }

  /// Ends activities that can't continue on another server.
  ///
  /// Returns the loops that dropped a queued action, a bit each, and from `firstEnded` on those whose recording or
  /// layer was ended.
  @_noLocks
  func breakOff(at frame: Int64) -> UInt32 {
    var interrupted: UInt32 = 0
    for index in 0..<count {
      let (isDropped, isEnded) = players[index].breakOff(at: frame)
      let bit = UInt32(truncatingIfNeeded: index)
      if isDropped { interrupted |= 1 << bit }
      if isEnded { interrupted |= 1 << (bit &+ Self.firstEnded) }
    }
    return interrupted
  }

  /// Continues in the first block of another driver, which starts at a frame.
  ///
  /// Returns the interrupted loops in the same bits as `breakOff`.
  @_noLocks
  func goOn(after handover: Handover, at frame: Int64) -> UInt32 {
    delay(by: handover.shift)
    time.pointee.count.skip(frames: Int(handover.passed))
    let interrupted = breakOff(at: frame)
    for index in 0..<count { players[index].moveOn(handover.passed, at: frame) }
    return interrupted
  }

  /// Completes copies and growing clips.
  ///
  /// Not on the audio thread.
  func finishWork() {
    for index in 0..<count { players[index].finishWork() }
  }

  /// Takes over the time and the state of loops at another sample rate; `frame` is the same for both.
  ///
  /// Not on the audio thread.
  mutating func adopt(_ former: borrowing Loops, at frame: Int64) {
    let ratio = time.pointee.adopt(former.time, at: frame)
    for source in 0..<Loop.Source.count {
      memory.prepareHistory(source, like: former.memory)
      histories[source].adopt(former.histories[source], speed: 1 / ratio)
    }
    for index in 0..<count { players[index].adopt(former.players[index], ratio: ratio, at: frame) }
    memory.clips.latestSerial = max(memory.clips.latestSerial, former.memory.clips.latestSerial)
  }
}
