internal import DSP

/// The mixer strips of all sources: live input, harmonies, grid, songs and loops.
struct Strips: ~Copyable {
  private static var firstLoop: Int { @_noLocks get { 4 } }

  private let buffers = Buffers()
  private let strips: UnsafeMutablePointer<Strip>
  private let count: Int
  // The loops whose strips have not reached their targets.
  private(set) var movingLoops = LoopBits.none
  // The live input returns to the chain when the warp, which was idle, has warmed up.
  private var framesUntilChain = 0

  init(loops: Int, sampleRate: Float) {
    count = Self.firstLoop + loops
    strips = buffers.filled(with: Strip(sampleRate: sampleRate), count: count)
  }

  var live: UnsafeMutablePointer<Strip> { @_noLocks get { strips } }
  var grid: UnsafeMutablePointer<Strip> { @_noLocks get { strips + 1 } }
  var music: UnsafeMutablePointer<Strip> { @_noLocks get { strips + 2 } }

  var harmony: UnsafeMutablePointer<Strip> { @_noLocks get { strips + 3 } }

  /// The strip of a loop, counted from 0.
  @_noLocks
  func loop(_ index: Int) -> UnsafeMutablePointer<Strip> { strips + Self.firstLoop + index }

  @_noLocks
  mutating func setSampleRate(_ rate: Float) {
    for index in 0..<count { strips[index].setSampleRate(rate) }
  }

  /// Sets all gains and routes at once, before the first block.
  @_noLocks
  mutating func settle() {
    finishReturn()
    for index in 0..<count { strips[index].settle() }
    movingLoops = .none
  }

  /// Whether all strips have reached their targets.
  var isResting: Bool {
    @_noLocks get {
      movingLoops.isEmpty && framesUntilChain == 0 && live.pointee.isResting
        && grid.pointee.isResting && music.pointee.isResting && harmony.pointee.isResting
    }
  }

  // MARK: - Loops

  /// Marks the strip of a loop as moving.
  @_noLocks
  mutating func noteMove(ofLoop index: Int) { movingLoops.insert(index) }

  /// Updates the mark after a block of a loop was mixed: its strip may have reached its targets.
  @_noLocks
  mutating func noteMixed(loop index: Int) {
    if loop(index).pointee.isResting { movingLoops.remove(index) }
  }

  /// Advances the strip of a silent loop, if it moves.
  @_noLocks
  mutating func skip(loop index: Int, frames: Int) {
    guard movingLoops.contains(index) else { return }
    loop(index).pointee.skip(frames: frames)
    noteMixed(loop: index)
  }

  // MARK: - The live input and the chain

  /// Sets the route of the live input; it returns to the chain after `warmUp` frames.
  @_noLocks
  mutating func setLiveRoute(_ route: Route, warmUp: Int) {
    if case .chain = route, live.pointee.isPastChain {
      if framesUntilChain == 0 { framesUntilChain = warmUp }
    } else {
      framesUntilChain = 0
    }
    if framesUntilChain == 0 { live.pointee.setRoute(route) }
  }

  /// Whether the live input is routed through the chain, or will be when the warp is warm.
  var isLiveThroughChain: Bool {
    @_noLocks get { live.pointee.isThroughChain || framesUntilChain > 0 }
  }

  /// Whether the warp of the live input is needed.
  var isLiveWarpNeeded: Bool {
    @_noLocks get { !live.pointee.isPastChain || framesUntilChain > 0 }
  }

  /// The most frames that a segment may have, so that the live input returns at its end.
  @_noLocks
  func limit(_ frames: Int) -> Int {
    framesUntilChain > 0 ? min(frames, framesUntilChain) : frames
  }

  /// Advances the return of the live input to the chain.
  @_noLocks
  mutating func advanceReturn(frames: Int) {
    if framesUntilChain == 0 { return }
    framesUntilChain &-= frames
    if framesUntilChain == 0 { live.pointee.setRoute(.chain) }
  }

  @_noLocks
  private mutating func finishReturn() { advanceReturn(frames: framesUntilChain) }
}
