internal import DSP

/// The memory of a segment: buses and scratch, valid until the next segment, and which of them are silent.
struct SegmentMemory: ~Copyable {
  /// The longest segment.
  ///
  /// Longer blocks are split, so that this memory stays in the cache.
  static var longest: Int { @_noLocks get { 256 } }

  private let buffers = Buffers()
  /// One side for gains that move.
  let scratch: UnsafeMutablePointer<Float>
  /// The bus of the chain.
  let bus: Stereo
  /// The output until it is finished.
  let mix: Stereo
  /// The live input as the warp renders it; free again after it was mixed.
  let warped: Stereo
  /// For stems that are not connected.
  let unwanted: Stereo
  /// The live input before its gain.
  let dry: Stereo
  /// Never written.
  let silence: Stereo

  var isDrySilent = true
  /// Whether a source is audible in the present segment.
  ///
  /// If so, the bus contains it.
  private(set) var isSounding = false
  /// Whether the grid is audible in the present segment, and whether the output is silent.
  var isGridSounding = false
  /// Whether the harmonies are audible in the present segment.
  var areHarmoniesSounding = false
  var isOutputSilent = true
  // The number of frames at the start of the bus that are already clear.
  private var clearBusFrames = 0

  init() {
    scratch = buffers.floats(Self.longest)
    bus = buffers.stereo(Self.longest)
    mix = buffers.stereo(Self.longest)
    warped = buffers.stereo(Self.longest)
    unwanted = buffers.stereo(Self.longest)
    dry = buffers.stereo(Self.longest)
    silence = buffers.stereo(Self.longest)
  }

  /// The live input, for recorders and captures.
  var input: Stereo { @_noLocks get { isDrySilent ? silence : dry } }

  /// Copies the live input for recorders and captures.
  @_noLocks
  func copyDry(_ sound: Stereo, frames: Int) { sound.copy(to: dry, frames: frames) }

  /// Starts a segment.
  @_noLocks
  mutating func start() { isSounding = false }

  /// Prepares the bus for a source that sounds.
  @_noLocks
  mutating func open(frames: Int) {
    if !isSounding { clearBus(frames: frames) }
    isSounding = true
    clearBusFrames = 0
  }

  /// Clears the bus, unless it is already clear.
  @_noLocks
  mutating func clearBus(frames: Int) {
    if frames <= clearBusFrames { return }
    bus.clear(frames: frames)
    clearBusFrames = frames
  }

  /// Marks the bus as written by effects.
  @_noLocks
  mutating func noteEffects() { clearBusFrames = 0 }
}
