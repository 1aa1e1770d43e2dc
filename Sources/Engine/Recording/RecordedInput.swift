internal import DSP

/// A recording in the place of the live input: played from its first frame to its last at the rate
/// of the chain, and turned to its pitch as the live input is.
///
/// Its driver has no clock to keep up with, and sees to it that what a block can need of the
/// recording is there before it is rendered.
struct RecordedInput: ~Copyable {
  // More than any engine is late.
  private static var drySeconds: Double { @_noLocks get { 0.2 } }
  // What an engine says after the last frame: its delay, and what a low pitch drags behind.
  private static var dragSeconds: Double { @_noLocks get { 0.2 } }

  private var tape: SongTape
  // At the rate alone: the dry sound, and what goes past the chain.
  private var plain: Warp
  // At the pitch, too.
  private var turned: Warp
  private var dryTape: Tape
  private var dry: DelayedInput
  private var wetShare: Glide
  private var share: Float = 1
  private var warmUpLeft = 0
  private var framesAtEnd = 0
  private let recording: SongPointer
  private let dragFrames: Int
  private let shares: UnsafeMutablePointer<Float>
  private let wet: Stereo

  private var chain = ChainWarp()
  private var isThroughChain = true

  /// The recording that comes through a ring, at a rate in Hz.
  init(_ recording: SongPointer, sampleRate: Double) {
    tape = SongTape(reach: SourceWarp.reach, sampleRate: sampleRate)
    plain = Warp(seconds: 0.1, sampleRate: sampleRate)
    turned = Warp(seconds: 0.1, sampleRate: sampleRate)
    dryTape = Tape(seconds: Self.drySeconds, reach: SourceWarp.reach, sampleRate: sampleRate)
    dry = DelayedInput(sampleRate: Float(sampleRate))
    wetShare = Glide(at: 1, sampleRate: Float(sampleRate))
    shares = .allocate(capacity: 3 * Core.longestSegment)
    shares.initialize(repeating: 0, count: 3 * Core.longestSegment)
    wet = Stereo(shares + Core.longestSegment, shares + 2 * Core.longestSegment)
    self.recording = recording
    dragFrames = Int(Self.dragSeconds * sampleRate)
    // As much silence before it as there is room for, which an engine reads back into.
    tape.begin(recording, silence: .max)
  }

  deinit { shares.deallocate() }

  // MARK: - Parameters

  /// Goes by the pitch and stretch of the chain.
  @_noLocks
  mutating func follow(_ chain: ChainWarp) {
    self.chain = chain
    apply()
  }

  /// Sets whether the recording goes through the chain; past it, it comes at its own rate.
  @_noLocks
  mutating func setThroughChain(_ value: Bool) {
    isThroughChain = value
    apply()
  }

  /// Lets both warps go to what the chain and the route come to.
  @_noLocks
  private mutating func apply() {
    let speed = isThroughChain ? chain.rate : 1
    // At its own rate the dry sound is the recording's own, to the bit.
    plain.setEngine(speed == 1 ? .live : chain.engine)
    plain.setRate(speed)
    turned.setEngine(chain.engine)
    turned.setRate(speed)
    turned.setPitch(semitones: chain.semitones)
    turned.setFormant(semitones: chain.formant)
    move(to: isThroughChain && chain.isPitching ? chain.mix : 0)
  }

  @_noLocks
  private mutating func move(to newShare: Float) {
    if !isWet && newShare != 0 {
      warmUpLeft = turned.warmUp
    } else if newShare == 0 {
      warmUpLeft = 0
    }
    share = newShare
    if warmUpLeft == 0 { wetShare.move(to: share) }
  }

  /// Whether anything of the turned sound is heard, or will be when it is warm.
  private var isWet: Bool {
    @_noLocks get { share != 0 || wetShare.target != 0 || wetShare.isMoving }
  }

  /// Jumps to where all settings go to, before anything is heard.
  @_noLocks
  mutating func settle() {
    plain.settle()
    turned.settle()
    warmUpLeft = 0
    wetShare.jump(to: share)
    dry.setDelay(dryDelay)
    dry.settle()
  }

  /// By how many frames the sound is late.
  var delay: Int { @_noLocks get { share == 0 ? plain.delay : turned.delay } }

  /// By how many frames the dry sound must wait for the wet one.
  private var dryDelay: Int { @_noLocks get { max(0, delay &- plain.delay) } }

  /// Whether all of it was heard, and what the engines say after it.
  var isOver: Bool {
    @_noLocks get { framesAtEnd > dragFrames &+ 4 &* delay && !wetShare.isMoving }
  }

  // MARK: - Sound

  /// Renders the next frames at the rate alone, and those for the chain with their pitch changed.
  @_noLocks
  mutating func render(plain sound: Stereo, chain out: Stereo, frames: Int) {
    let isWet = isWet
    if isWet {
      plain.process(&tape, to: sound, beside: &turned, to: wet, frames: frames)
    } else {
      plain.process(&tape, to: sound, frames: frames)
      turned.rest(frames: frames)
    }
    if tape.isAtEnd { framesAtEnd &+= frames }
    recording.tell(framesHeard: tape.framesGone)
    dryTape.write(sound, frames: frames)
    dry.setDelay(dryDelay)
    dry.read(dryTape, to: out, frames: frames)
    guard isWet else { return }
    takeShares(frames: frames)
    for frame in 0..<frames {
      out.left[frame] += shares[frame] * (wet.left[frame] - out.left[frame])
      out.right[frame] += shares[frame] * (wet.right[frame] - out.right[frame])
    }
  }

  /// Works out the wet share of each of the next frames; of those before the warp is warm it is 0.
  @_noLocks
  private mutating func takeShares(frames: Int) {
    let waiting = min(warmUpLeft, frames)
    if waiting > 0 {
      Blocks.clear(shares, frames: waiting)
      warmUpLeft &-= waiting
      if warmUpLeft == 0 { wetShare.move(to: share) }
    }
    wetShare.fill(shares + waiting, frames: frames &- waiting)
  }
}
