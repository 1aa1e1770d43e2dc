internal import DSP

/// The live input on its way to the chain: the tape of its last seconds, the warp that plays it,
/// and the dry sound beside it.
struct LiveInput: ~Copyable {
  private static var tapeSeconds: Double { @_noLocks get { 10 } }

  private var tape: Tape
  private var warp: SourceWarp
  private var dry: DelayedInput
  private var wetShare: Glide
  // Where the wet share goes when the warp, which has rested, is warm.
  private var share: Float = 1
  private var warmUpLeft = 0
  private var silentFrames: Int

  private let shares: UnsafeMutablePointer<Float>
  private let wet: Stereo

  init(sampleRate: Double) {
    // A little more than is promised, for the crossfades of leaps.
    tape = Tape(seconds: Self.tapeSeconds + 0.2, reach: SourceWarp.reach, sampleRate: sampleRate)
    // An empty tape needs no silence written over it.
    silentFrames = tape.capacity + 1
    warp = SourceWarp(seconds: Self.tapeSeconds, sampleRate: sampleRate)
    dry = DelayedInput(sampleRate: Float(sampleRate))
    wetShare = Glide(at: 1, sampleRate: Float(sampleRate))
    shares = .allocate(capacity: 3 * Core.longestSegment)
    shares.initialize(repeating: 0, count: 3 * Core.longestSegment)
    wet = Stereo(shares + Core.longestSegment, shares + 2 * Core.longestSegment)
  }

  deinit { shares.deallocate() }

  // MARK: - Parameters

  /// Goes by the pitch and stretch of the chain.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) {
    guard chain.isOn else {
      // The warp goes on as it is while it fades out.
      move(to: 0)
      return
    }
    warp.follow(chain)
    move(to: chain.isPitching ? chain.mix : 1)
  }

  @_noLocks
  private mutating func move(to newShare: Float) {
    if isResting && share == 0 && newShare != 0 {
      warmUpLeft = warp.warmUp
    } else if newShare == 0 {
      warmUpLeft = 0
    }
    share = newShare
    if warmUpLeft == 0 { wetShare.move(to: share) }
  }

  /// Whether nothing of the warp is heard.
  private var isResting: Bool {
    @_noLocks get { wetShare.target == 0 && !wetShare.isMoving && warmUpLeft == 0 }
  }

  /// The delay, in frames.
  var delay: Int {
    @_noLocks get { share == 0 ? 0 : warp.delay }
  }

  /// The frames that the sound, after it was not needed for a while, takes until it is whole.
  var warmUp: Int {
    @_noLocks get { share == 0 ? 0 : warp.warmUp }
  }

  @_noLocks
  mutating func settle() {
    warp.settle()
    warmUpLeft = 0
    wetShare.jump(to: share)
    dry.setDelay(delay)
    dry.settle()
  }

  /// Comes back to now, and forgets what it was about to say.
  @_noLocks
  mutating func reset() { warp.returnToNow() }

  /// Whether nothing is on the tape, and nothing moves: in silence it may be left alone.
  var isAtRest: Bool {
    @_noLocks get {
      silentFrames > tape.capacity && warp.isIdle && !wetShare.isMoving && warmUpLeft == 0
    }
  }

  /// Lets time pass while it is at rest.
  @_noLocks
  mutating func rest(frames: Int) { warp.rest(frames: frames) }

  // MARK: - Sound

  /// Puts a block on the tape, and renders what is to go through the chain, where that is needed;
  /// false when it is silent or not needed, and not written.
  @_noLocks
  mutating func process(
    _ sound: Stereo, isSilent: Bool, isNeeded: Bool, to out: Stereo, frames: Int
  ) -> Bool {
    // Where nothing is on the tape, silence need not be added to it.
    let isEmpty = isSilent && silentFrames > tape.capacity
    if !isSilent {
      silentFrames = 0
      tape.write(sound, frames: frames)
    } else if !isEmpty {
      silentFrames &+= frames
      tape.writeSilence(frames: frames)
    }
    if isEmpty || !isNeeded {
      fillShares(frames: frames)
      warp.rest(frames: frames)
      return false
    }
    dry.setDelay(delay)
    if isSilent && share == 1 && wetShare.target == 1 && !wetShare.isMoving && warp.isIdle {
      warp.rest(frames: frames)
      return false
    }
    if wetShare.target == 1 && !wetShare.isMoving {
      return warp.process(tape, to: out, frames: frames)
    }
    let isDrySounding = silentFrames <= 2 &* dry.longestDelay &+ frames
    if isResting {
      warp.rest(frames: frames)
      if isDrySounding { dry.read(tape, to: out, frames: frames) }
      return isDrySounding
    }
    let isWetSounding = warp.process(tape, to: wet, frames: frames)
    guard isWetSounding || isDrySounding else {
      fillShares(frames: frames)
      return false
    }
    if !isWetSounding {
      Blocks.clear(wet.left, frames: frames)
      Blocks.clear(wet.right, frames: frames)
    }
    fillShares(frames: frames)
    dry.read(tape, to: out, frames: frames)
    for frame in 0..<frames {
      out.left[frame] += shares[frame] * (wet.left[frame] - out.left[frame])
      out.right[frame] += shares[frame] * (wet.right[frame] - out.right[frame])
    }
    return true
  }

  /// Works out the wet share of each of the next frames; of those before the warp is warm it is 0.
  @_noLocks
  private mutating func fillShares(frames: Int) {
    let waiting = min(warmUpLeft, frames)
    if waiting > 0 {
      Blocks.clear(shares, frames: waiting)
      warmUpLeft &-= waiting
      if warmUpLeft == 0 { wetShare.move(to: share) }
    }
    wetShare.fill(shares + waiting, frames: frames &- waiting)
  }
}
