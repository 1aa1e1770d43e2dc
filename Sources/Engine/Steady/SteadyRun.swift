internal import CRealtime
internal import DSP

/// A run of blocks in which nothing changes: loops play their clips, and the input passes, also into layers.
///
/// Each block is mixed straight from the memory of the clips and of the ports. Everything else that a block does, such
/// as writing layers, is done at the end of the run, for all of its blocks at once. Between two blocks the caches are cold, and fetching code
/// and data again costs more than the work itself.
struct SteadyRun: ~Copyable {
  /// A loop that plays, in one cache line.
  struct Source: BitwiseCopyable {
    /// The left side of the page of the first frame of the run, and of the page after it.
    let first: UnsafePointer<Float>, second: UnsafePointer<Float>
    /// The next frame, counted from the start of the first page.
    var offset: Int
    let gain: Float, left: Float, right: Float
    /// The position in the clip, and its length.
    var position: Int
    let length: Int
    let published: UnsafeMutablePointer<PublishedLoops.Slot>

    @_noLocks
    init(
      _ clip: SteadyClip, _ strip: Strip, position: Int, length: Int,
      _ published: UnsafeMutablePointer<PublishedLoops.Slot>
    ) {
      first = clip.first
      second = clip.second
      offset = clip.offset
      (gain, left, right) = strip.restingGains
      self.position = position
      self.length = length
      self.published = published
    }

    /// The peak magnitudes of the next frames after the gains, infinite or NaN if a sample is.
    @_noLocks
    func peaks(frames: Int) -> (left: Float, right: Float) {
      let size = SteadyClip.pageFrames
      let rest = max(0, min(frames, size &- offset))
      var (leftBits, rightBits): (UInt32, UInt32) = (0, 0)
      if rest > 0 {
        leftBits = rt_peak(first + offset, nil, rest)
        rightBits = rt_peak(first + size + offset, nil, rest)
      }
      if rest < frames {
        let start = second + max(0, offset &- size)
        leftBits = max(leftBits, rt_peak(start, nil, frames &- rest))
        rightBits = max(rightBits, rt_peak(start + size, nil, frames &- rest))
      }
      return (
        Float(bitPattern: leftBits) * gain * left, Float(bitPattern: rightBits) * gain * right
      )
    }

    /// Moves on, and publishes the position.
    @_noLocks
    mutating func advance(frames: Int) {
      offset &+= frames
      position &+= frames
      published.pointee.state.publish(position: position, length: length)
    }

    /// Adds the next frames to a sum.
    @_noLocks
    func mix(to sum: Stereo, isFirst: Bool, frames: Int) {
      let size = SteadyClip.pageFrames
      let rest = max(0, min(frames, size &- offset))
      if rest > 0 {
        rt_mix(first + offset, gain, left, sum.left, isFirst, rest)
        rt_mix(first + size + offset, gain, right, sum.right, isFirst, rest)
      }
      if rest < frames {
        let start = second + max(0, offset &- size)
        rt_mix(start, gain, left, sum.left + rest, isFirst, frames &- rest)
        rt_mix(start + size, gain, right, sum.right + rest, isFirst, frames &- rest)
      }
    }
  }

  /// The most frames of a run, which bounds the work at its end.
  static var longest: Int { @_noLocks get { 512 } }

  /// The blocks between two checks whether a run can begin.
  static var mostBlocksToWait: UInt8 { @_noLocks get { 7 } }

  private let buffers = Buffers()
  /// The blocks until the next check, and whether it is due at the start of the next block.
  var blocksToWait: UInt8 = 0
  var isDue = false
  /// Whether the next block may belong to the run.
  var isOn = false
  /// Whether the engine is idle.
  var isIdle = false
  /// Whether the input sounds, and whether it is heard.
  var isInputSounding = false, isInputHeard = false
  /// The gain of the input in the mix.
  var inputGain: Float = 1
  /// The gain of the output, at least 1, and whether it has any.
  var mostGain: Float = 1
  var isOutputScaled = false
  /// The ports, and the driver's count at the start of the next block.
  var use = PortUse.none
  var nextCount: UInt32 = 0
  /// The number of frames in each block, of those done, and of those possible.
  var frames = 0, done = 0, most = 0
  /// The frame at which the run began.
  var start: Int64 = 0
  /// The memory of the input in its history, for the whole run.
  var inputMemory: Stereo?
  /// The loops that play, those of them to which a layer is added, and the number of all.
  var loops = LoopBits.none, layered = LoopBits.none
  var count = 0
  let sources: UnsafeMutablePointer<Source>

  init(loops: Int) { sources = buffers.room(for: loops) }

  /// Notes a full block, after which a run can begin.
  @_noLocks
  mutating func noteFullBlock(_ cycle: Cycle, frames: Int, use: PortUse) {
    // Conditions that prevent a run last for many blocks, each of which would pay for the checks.
    if blocksToWait > 0 {
      blocksToWait &-= 1
      return
    }
    isDue = !cycle.isFreewheeling
    self.use = use
    self.frames = frames
    nextCount = cycle.frame &+ UInt32(truncatingIfNeeded: frames)
  }
}
