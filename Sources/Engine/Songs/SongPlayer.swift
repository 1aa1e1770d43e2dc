internal import DSP

/// The song to play, or none, and the origin of the command.
typealias SongChange = (song: SongPointer?, origin: CommandOrigin)

/// The fade-out of a song that another one replaces.
package enum SongFade {
  /// Its length, in seconds.
  package static var seconds: Double { @_noLocks get { 0.005 } }
}

/// Plays a song that is streamed from disk: unchanged, at the pitch and rate of the chain if it is routed
/// through it, and at the speed of the tempo if it follows that.
struct SongPlayer: ~Copyable {
  // The amount of data required before it continues after an underrun.
  private static var headStartSeconds: Double { @_noLocks get { 0.5 } }
  // The tail of an engine after the end of the song: its delay, and the drag of a low pitch.
  private static var dragSeconds: Double { @_noLocks get { 0.2 } }
  private static var longestPiece: Int { @_noLocks get { 256 } }
  // Longer than an engine reads ahead at any rate.
  private static var mostAheadSeconds: Double { @_noLocks get { 0.1 } }

  private enum State: BitwiseCopyable {
    case empty, playing, waiting, over
  }

  private let sampleRate: Double
  private let closeFrames: Int
  private let mostAhead: Int
  private var tape: SongTape
  private var warp: SourceWarp
  private var gate = Gate()
  private var state = State.empty
  private var song: SongPointer?
  private var change: SongChange?
  private var answer: SongChange?
  private var framesAtEnd = 0
  private var followsTempo = false
  private var tempo = 0.0
  private var stretch = StretchChoice()

  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    closeFrames = Int(SongFade.seconds * sampleRate)
    mostAhead = Int(Self.mostAheadSeconds * sampleRate)
    tape = SongTape(reach: SourceWarp.reach, sampleRate: sampleRate)
    warp = SourceWarp(seconds: 0.1, sampleRate: sampleRate)
  }

  // MARK: - Parameters

  /// Applies the pitch and stretch of the chain.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) { warp.follow(chain) }

  /// Sets whether songs are routed through the chain.
  @_noLocks
  mutating func setThroughChain(_ value: Bool) { warp.setThroughChain(value) }

  /// Whether it is idle at any tempo.
  var isSteady: Bool { @_noLocks get { !followsTempo && isAtRest } }

  /// Sets whether songs follow the tempo.
  @_noLocks
  mutating func setFollowsTempo(_ value: Bool) { followsTempo = value }

  /// Sets the tempo of the songs in beats per minute; 0 if it is unknown.
  @_noLocks
  mutating func setTempo(_ value: Float) { tempo = Double(value) }

  /// Follows the tempo in the next block of so many frames.
  @_noLocks
  mutating func follow(framesPerBeat: Double, block frames: Int) {
    if !followsTempo || !(tempo > 0) || !(framesPerBeat > 0) {
      stretch = StretchChoice()
      return warp.follow(nil)
    }
    let ratio = sampleRate * 60 / tempo / framesPerBeat
    stretch.update(ratio, after: gate.isClosed ? .infinity : Double(frames) / sampleRate)
    let speed = LoopFollow.banded(ratio)
    warp.follow(
      stretch.isStretched ? LoopFollow.stretched(speed) : speed, isStretched: stretch.isStretched)
  }

  // MARK: - Songs

  /// Changes to another song or to none, or returns why it can't.
  ///
  /// `nextAnswer` reports when it has, and the former song is released.
  @_noLocks
  mutating func begin(_ next: SongChange) -> EngineRefusal? {
    if case .some = change { return .transferring }
    if let song = next.song, Double(song.sampleRate) != sampleRate { return .otherRate }
    change = next
    close()
    changeWherePossible()
    return nil
  }

  /// Fades the song out, so that a change can take effect at the end of the fade.
  @_noLocks
  mutating func close() { gate.move(open: false, frames: closeFrames) }

  /// The change that is done and not answered yet.
  @_noLocks
  mutating func nextAnswer() -> SongChange? {
    defer { answer = nil }
    return answer
  }

  /// Drops the pending change, because the sample rate changes.
  @_noLocks
  mutating func dropChange() -> SongChange? {
    defer { change = nil }
    return change
  }

  @_noLocks
  private mutating func changeWherePossible() {
    guard gate.isClosed, let next = change else { return }
    change = nil
    answer = next
    song = next.song
    framesAtEnd = 0
    tape.begin(song, silence: warp.framesAround)
    if let song {
      song.tell(isWaiting: true, isCounted: false)
      state = .waiting
      goOnWherePossible(isFirst: true)
    } else {
      state = .empty
    }
  }

  /// The minimum number of frames ahead, with which it can still fade out at any rate, and begin to be read ahead.
  private var reserve: Int {
    @_noLocks get {
      let fading = Int(SourceWarp.fastest) &* (Self.longestPiece &+ closeFrames)
      return fading &+ max(1024, followsTempo ? mostAhead : 0)
    }
  }

  /// Opens the gate when there is enough data.
  @_noLocks
  private mutating func goOnWherePossible(isFirst: Bool = false) {
    let headStart = max(reserve, Int(Self.headStartSeconds * sampleRate))
    guard gate.isClosed, let song, !tape.isShort(of: headStart) else { return }
    if !isFirst { tape.goOn(silence: warp.framesAround) }
    warp.rest(frames: 0)
    // The fade-in is on the tape itself, which an engine may read with a delay.
    gate.move(open: true, frames: 1)
    song.tell(isWaiting: false, isCounted: false)
    state = .playing
  }

  /// Whether it is silent, and no change is pending.
  var isAtRest: Bool {
    @_noLocks get {
      if case .some = change { return false }
      switch state {
      case .empty, .over: return gate.isClosed && warp.isIdle
      case .playing, .waiting: return false
      }
    }
  }

  // MARK: - Sound

  /// Renders a block.
  ///
  /// Returns false, and writes nothing, if it is silent.
  @_noLocks
  mutating func render(to out: Stereo, frames: Int) -> Bool {
    update(before: 0)
    if gate.isClosed {
      warp.rest(frames: frames)
      return false
    }
    var done = 0
    while done < frames {
      let count = min(frames &- done, Self.longestPiece)
      let part = out.advanced(by: done)
      update(before: count)
      if !warp.process(&tape, through: &gate, to: part, frames: count) {
        part.clear(frames: count)
      }
      done &+= count
    }
    return true
  }

  /// Performs the due song changes and state transitions before a block of `frames` frames.
  @_noLocks
  private mutating func update(before frames: Int) {
    changeWherePossible()
    if case .some = change { return }
    switch state {
    case .empty, .over: break
    case .waiting: goOnWherePossible()
    case .playing:
      if tape.isShort(of: reserve) {
        state = .waiting
        song?.tell(isWaiting: true, isCounted: true)
        gate.move(open: false, frames: closeFrames)
      } else if tape.isAtEnd {
        end(after: frames)
      }
    }
  }

  /// Renders the tail of the engine, and then ends the song.
  @_noLocks
  private mutating func end(after frames: Int) {
    let isPlain = warp.delay == 0 && warp.isPlain && !warp.isMoved
    let tail = isPlain ? 0 : 4 &* warp.delay &+ Int(Self.dragSeconds * sampleRate)
    if framesAtEnd >= tail {
      state = .over
      song?.tellOver()
      gate.move(open: false, frames: closeFrames)
    }
    framesAtEnd &+= frames
  }
}
