internal import DSP

/// The mix of the dry sound of a tape and its warped sound, with equal delay.
///
/// When the wet sound was not needed, the mix stays dry until the warp has warmed up.
struct WetMix: ~Copyable {
  /// The wet sound, to be rendered before `render`.
  let wet: Stereo
  /// The requested wet share.
  private(set) var share: Float = 1

  private var dry: DelayedInput
  private var glide: Glide
  private var warmUpLeft = 0
  private let buffers = Buffers()
  // One side for the shares of a block.
  private let shares: UnsafeMutablePointer<Float>

  init(sampleRate: Float) {
    dry = DelayedInput(sampleRate: sampleRate)
    glide = Glide(at: 1, sampleRate: sampleRate)
    wet = buffers.stereo(SegmentMemory.longest)
    shares = buffers.floats(SegmentMemory.longest)
  }

  /// Moves the wet share; from a dry mix, after `warmUp` frames.
  @_noLocks
  mutating func move(to newShare: Float, warmUp: Int) {
    if newShare == 0 { warmUpLeft = 0 } else if isDry { warmUpLeft = warmUp }
    share = newShare
    if warmUpLeft == 0 { glide.move(to: share) }
  }

  /// Sets the delay of the dry sound, in frames.
  @_noLocks
  mutating func setDelay(_ frames: Int) { dry.setDelay(frames) }

  /// Applies all settings at once, without glides, before the first block.
  @_noLocks
  mutating func settle(delay: Int) {
    warmUpLeft = 0
    glide.jump(to: share)
    dry.setDelay(delay)
    dry.settle()
  }

  /// Whether the wet sound is inaudible and stays so.
  var isDry: Bool { @_noLocks get { share == 0 && glide.target == 0 && !glide.isMoving } }
  /// Whether only the wet sound is audible.
  var isWet: Bool { @_noLocks get { glide.target == 1 && !glide.isMoving } }
  /// Whether the share moves.
  var isMoving: Bool { @_noLocks get { glide.isMoving } }
  /// Whether the share moves, or will after the warm-up.
  var isChanging: Bool { @_noLocks get { glide.isMoving || warmUpLeft > 0 } }
  /// The maximum audible delay of the dry sound, in frames.
  var longestDelay: Int { @_noLocks get { dry.longestDelay } }

  /// Whether only the dry sound is audible, without delay.
  var isDirect: Bool { @_noLocks get { isDry && !isChanging && dry.isDirect } }

  /// Advances by a block that is not needed.
  @_noLocks
  mutating func skip(frames: Int) { glide.skip(frames: frames &- advanceWarmUp(frames: frames)) }

  /// Renders only the dry sound of the frames that were written to a tape last.
  @_noLocks
  mutating func renderDry(_ tape: borrowing Tape, to out: Stereo, frames: Int) {
    dry.read(tape, to: out, frames: frames)
  }

  /// Renders the mix of `wet` and the frames that were written to a tape last.
  @_noLocks
  mutating func render(_ tape: borrowing Tape, to out: Stereo, frames: Int) {
    dry.read(tape, to: out, frames: frames)
    let waiting = advanceWarmUp(frames: frames)
    Blocks.clear(shares, frames: waiting)
    glide.fill(shares + waiting, frames: frames &- waiting)
    for frame in 0..<frames {
      out.left[frame] += shares[frame] * (wet.left[frame] - out.left[frame])
      out.right[frame] += shares[frame] * (wet.right[frame] - out.right[frame])
    }
  }

  /// Advances the warm-up.
  ///
  /// Returns the number of frames that belong to it.
  @_noLocks
  private mutating func advanceWarmUp(frames: Int) -> Int {
    let waiting = min(warmUpLeft, frames)
    if waiting == 0 { return 0 }
    warmUpLeft &-= waiting
    if warmUpLeft == 0 { glide.move(to: share) }
    return waiting
  }
}
