internal import DSP

/// Plays the song that comes from the disk: as it is, or at the pitch and the rate of the chain
/// where it goes through that.
struct SongPlayer: ~Copyable {
  private static var closeSeconds: Double { @_noLocks get { 0.005 } }
  // How much must be there before it goes on where the disk was too slow.
  private static var headStartSeconds: Double { @_noLocks get { 0.5 } }
  // What an engine still says when the song is over: its delay, and what a low pitch drags behind.
  private static var dragSeconds: Double { @_noLocks get { 0.2 } }
  private static var longestPiece: Int { @_noLocks get { 256 } }

  private enum State: BitwiseCopyable {
    case empty, playing, waiting, over
  }

  private let sampleRate: Double
  private let closeFrames: Int
  private var tape: SongTape
  private var warp: SourceWarp
  private var gate = Gate()
  private var state = State.empty
  private var song: SongPointer?
  private var change: SongChange?
  private var answer: SongChange?
  private var framesAtEnd = 0

  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    closeFrames = Int(Self.closeSeconds * sampleRate)
    tape = SongTape(reach: SourceWarp.reach, sampleRate: sampleRate)
    warp = SourceWarp(seconds: 0.1, sampleRate: sampleRate)
  }

  // MARK: - Parameters

  /// Goes by the pitch and stretch of the chain, where songs go through that.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) { warp.follow(chain) }

  /// Sets whether songs go through the chain.
  @_noLocks
  mutating func setThroughChain(_ value: Bool) { warp.setThroughChain(value) }

  // MARK: - Songs

  /// Goes over to another song, or to none; the reason where it can't.
  ///
  /// `nextAnswer` tells when it has, and the former song is let go.
  @_noLocks
  mutating func begin(_ next: SongChange) -> EngineRefusal? {
    if case .some = change { return .transferring }
    if let song = next.song, !isOfOurRate(song) { return .otherRate }
    change = next
    gate.move(open: false, frames: closeFrames)
    changeWherePossible()
    return nil
  }

  @_noLocks
  private func isOfOurRate(_ song: SongPointer) -> Bool {
    let rate = Double(song.sampleRate)
    return rate >= sampleRate && rate <= sampleRate
  }

  /// The change that is done and not answered yet.
  @_noLocks
  mutating func nextAnswer() -> SongChange? {
    defer { answer = nil }
    return answer
  }

  /// Gives up the change that waits, because the server goes over to another rate.
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
    tape.begin(song, silence: silenceBefore)
    if let song {
      song.tell(isWaiting: true, isCounted: false)
      state = .waiting
      goOnWherePossible(isFirst: true)
    } else {
      state = .empty
    }
  }

  /// The silence on the tape before the first sound, in frames: more than an engine reads back.
  private var silenceBefore: Int { @_noLocks get { 4 &* warp.delay &+ 1024 } }

  /// The least frames ahead: with them, all can still be faded out at any rate.
  private var reserve: Int {
    @_noLocks get { Int(SourceWarp.fastest) &* (Self.longestPiece &+ closeFrames) &+ 1024 }
  }

  /// Opens when there is enough to be heard.
  @_noLocks
  private mutating func goOnWherePossible(isFirst: Bool = false) {
    let headStart = max(reserve, Int(Self.headStartSeconds * sampleRate))
    guard gate.isClosed, let song, !tape.isShort(of: headStart) else { return }
    if !isFirst { tape.goOn(silence: silenceBefore) }
    warp.rest(frames: 0)
    // The song rises on the tape itself, which an engine may read late.
    gate.move(open: true, frames: 1)
    song.tell(isWaiting: false, isCounted: false)
    state = .playing
  }

  /// Whether nothing sounds, and nothing is waited for: it may be left alone.
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

  /// Renders what is heard; false, and nothing written, where that is nothing.
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
        Blocks.clear(part.left, frames: count)
        Blocks.clear(part.right, frames: count)
      }
      done &+= count
    }
    return true
  }

  /// Begins and ends what does so by itself, before so many frames are rendered.
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

  /// Lets the engine say what it still has to, and then ends the song.
  @_noLocks
  private mutating func end(after frames: Int) {
    let isPlain = warp.delay == 0 && warp.isPlain
    let tail = isPlain ? 0 : 4 &* warp.delay &+ Int(Self.dragSeconds * sampleRate)
    if framesAtEnd >= tail {
      state = .over
      song?.tellOver()
      gate.move(open: false, frames: closeFrames)
    }
    framesAtEnd &+= frames
  }
}
