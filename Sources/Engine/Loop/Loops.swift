internal import CRealtime
internal import DSP

/// The loops of the engine, and what they have in common: memory, time, and what their sources were.
struct Loops: ~Copyable {
  // The first, because ThreadSanitizer takes the first of all for the place that is written to where
  // something is changed through a constant pointer: a count would be the same place for all engines.
  let time: UnsafeMutablePointer<LoopTime>
  let count: Int
  let setup: LoopSetup
  let memory: LoopMemory
  private let players: UnsafeMutablePointer<Loop>
  private let histories: UnsafeMutablePointer<SourceHistory>
  private let scratch: UnsafeMutablePointer<Float>
  /// Those that sound, or move, or wait.
  private(set) var awake: LoopBits
  // Those that were awake at any time since that was asked for last.
  private var stirred: LoopBits

  init(_ setup: LoopSetup, sampleRate: Double) {
    self.setup = setup
    count = setup.count
    memory = LoopMemory(setup, sampleRate: sampleRate)
    time = .allocate(capacity: 1)
    time.initialize(to: LoopTime(sampleRate: sampleRate))
    histories = .allocate(capacity: 3)
    for (index, store) in memory.histories.enumerated() {
      (histories + index).initialize(to: SourceHistory(store))
    }
    scratch = .allocate(capacity: 2 * LoopTape.longestPiece)
    scratch.initialize(repeating: 0, count: 2 * LoopTape.longestPiece)
    players = .allocate(capacity: count)
    let piece = Stereo(scratch, scratch + LoopTape.longestPiece)
    for index in 0..<count {
      (players + index).initialize(
        to: Loop(
          memory.clips, seconds: setup.seconds, time: time, histories: histories, piece: piece,
          sampleRate: sampleRate))
    }
    awake = LoopBits(count: count)
    stirred = awake
    followSources()
  }

  deinit {
    players.deinitialize(count: count)
    players.deallocate()
    histories.deinitialize(count: 3)
    histories.deallocate()
    time.deinitialize(count: 1)
    time.deallocate()
    scratch.deallocate()
  }

  /// One of them, counted from 0.
  @_noLocks
  func slot(_ index: Int) -> UnsafeMutablePointer<Loop> { players + index }

  /// Whether one sounds, or moves, or waits.
  @_noLocks
  func isAwake(_ index: Int) -> Bool { awake.contains(index) }

  /// Wakes one: something was asked of it.
  @_noLocks
  mutating func wake(_ index: Int) {
    awake.insert(index)
    stirred.insert(index)
  }

  /// Lets those sleep that are at rest.
  @_noLocks
  mutating func letSleep() {
    if awake.isEmpty { return }
    var rest = awake
    while let index = rest.popFirst() {
      if players[index].isAtRest { awake.remove(index) }
    }
  }

  /// Tells which were awake at any time since the last call.
  @_noLocks
  mutating func takeStirred() -> LoopBits {
    defer { stirred = awake }
    return stirred
  }

  // MARK: - What is asked for

  /// Performs an action of one, or plans it for its beat; returns the reason where it can't be.
  @_noLocks
  mutating func perform(_ action: LoopAction, of index: Int, at frame: Int64) -> EngineRefusal? {
    guard index < count else { return .noSuchLoop }
    wake(index)
    prepare(index, at: frame)
    let refusal = players[index].perform(action, at: frame)
    settle(index)
    return refusal
  }

  /// Makes a clip of what its source just was.
  @_noLocks
  mutating func keep(
    _ amount: Float, isBars: Bool, in index: Int, at frame: Int64
  ) -> EngineRefusal? {
    guard index < count else { return .noSuchLoop }
    wake(index)
    prepare(index, at: frame)
    let beats = time.pointee.beats
    let frames =
      isBars
      ? Double(amount) * beats.exact(Float(beats.beatsPerBar))
      : Double(amount) * players[index].sampleRate
    return players[index].keep(frames: frames, at: frame)
  }

  /// Tells one of what it goes by: the others.
  @_noLocks
  private func prepare(_ index: Int, at frame: Int64) {
    time.pointee.round = round(at: frame)
    time.pointee.isOtherInTime = false
    var others = awake
    others.remove(index)
    while let other = others.popFirst() {
      if players[other].goesByBeat { time.pointee.isOtherInTime = true }
    }
  }

  /// Lets the next first recording set the tempo, where nothing is left.
  @_noLocks
  private func settle(_ index: Int) {
    guard time.pointee.hasTempo, players[index].tape.length == 0 else { return }
    if case .recordReady = players[index].state {} else { return }
    for other in 0..<count where players[other].tape.length > 0 { return }
    time.pointee.hasTempo = false
  }

  /// The round of the first loop that plays as it was recorded, or at another rate.
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
      // The part of a frame that its rounding took is in its phase.
      let phase = Double(players[index].tape.phase) / 4_294_967_296
      let whole = Double(players[index].tape.length)
      let missing = whole - players[index].tape.round
      let next = phase - missing < 0 ? phase - missing + 1 : phase - missing
      let rest = Double(players[index].tape.framesToRound) / speed
      round.next = Double(frame) + rest + (missing > 0 ? next - 0.5 : 0)
      // It begins now.
      if players[index].tape.position == 0 && !players[index].isMoved {
        round.next = Double(frame) + (missing > 0 ? phase - 0.5 : 0)
      }
      return round
    }
    return round
  }

  // MARK: - Time

  /// Sets what is common to all.
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
    case .transportFollow: if value == 0 { time.pointee.beats.follow() }
    case .countIn: time.pointee.countInBars = Int(value)
    case .fitsFirst: time.pointee.setsTempo = value != 0
    }
  }

  /// Follows a transport that rolls; what waits for a beat waits for the transport's.
  @_noLocks
  mutating func follow(_ transport: Transport, at frame: Int64) {
    noteWaiting(at: frame)
    if time.pointee.beats.follow(transport, at: frame) { planAgain(at: frame) }
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

  /// Whether something goes on in time, or waits for it: nobody may move the beats.
  var dependsOnBeat: Bool {
    @_noLocks get {
      if time.pointee.isBeatInUse { return true }
      var rest = awake
      while let index = rest.popFirst() {
        if players[index].goesByBeat { return true }
      }
      return false
    }
  }

  /// Whether the beats are to be heard until a recording begins.
  @_noLocks
  func isCountingIn(at frame: Int64) -> Bool {
    var rest = awake
    while let index = rest.popFirst() {
      if players[index].queued.isCounting(at: frame) { return true }
    }
    return false
  }

  /// Performs what is due at a frame.
  @_noLocks
  func turn(at frame: Int64) {
    var rest = awake
    while let index = rest.popFirst() { players[index].turn(at: frame) }
  }

  /// Counts the frames until something begins or ends by itself.
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

  /// Lets all go by the pitch and stretch of the chain.
  @_noLocks
  func follow(_ chain: ChainWarp, at frame: Int64) {
    for index in 0..<count { players[index].follow(chain, at: frame) }
  }

  /// Whether the input must be loud enough for one of them to begin.
  @_noLocks
  func isWaitingForSound(at frame: Int64) -> Bool {
    var rest = awake
    while let index = rest.popFirst() {
      if players[index].isWaitingForSound(at: frame) { return true }
    }
    return false
  }

  /// Whether one of them wants to hear something.
  var isListening: Bool {
    @_noLocks get {
      var rest = awake
      while let index = rest.popFirst() {
        if players[index].isListening { return true }
      }
      return false
    }
  }

  /// Records the recent sound of the sources that some loop listens to, and of no other.
  @_noLocks
  func followSources() {
    var (live, grid, mix) = (false, false, false)
    for index in 0..<count {
      switch players[index].settings.source {
      case .live: live = true
      case .grid: grid = true
      case .mix: mix = true
      }
    }
    Self.history(of: .live, among: histories).pointee.setWanted(live)
    Self.history(of: .grid, among: histories).pointee.setWanted(grid)
    Self.history(of: .mix, among: histories).pointee.setWanted(mix)
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

  /// The history of a source.
  @_noLocks
  static func history(
    of source: Loop.Source, among histories: UnsafeMutablePointer<SourceHistory>
  ) -> UnsafeMutablePointer<SourceHistory> {
    switch source {
    case .live: histories
    case .grid: histories + 1
    case .mix: histories + 2
    }
  }

  // MARK: - Another driver

  /// Ends what can't go on, because the server is another one.
  @_noLocks
  func breakOff(at frame: Int64, shiftedBy step: Int64) {
    for index in 0..<count { players[index].breakOff(at: frame, shiftedBy: step) }
  }

  /// Takes over the clips of loops of another sample rate.
  ///
  /// Not on the audio thread.
  mutating func adopt(_ former: borrowing Loops) {
    time.pointee.hasTempo = former.time.pointee.hasTempo
    time.pointee.tempoFound = former.time.pointee.tempoFound
    for index in 0..<count { players[index].adopt(former.players[index]) }
  }
}
