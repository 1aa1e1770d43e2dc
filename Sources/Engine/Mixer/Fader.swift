internal import DSP

/// A gain on a stereo signal that changes without a step.
struct Fader: BitwiseCopyable {
  private var gain: Glide

  @_noLocks
  init(at gain: Float, sampleRate: Float) {
    self.gain = Glide(at: gain, sampleRate: sampleRate)
  }

  @_noLocks
  mutating func setSampleRate(_ rate: Float) { gain.setSampleRate(rate) }

  @_noLocks
  mutating func move(to linear: Float) { gain.move(to: linear) }

  @_noLocks
  mutating func jump(to linear: Float) { gain.jump(to: linear) }

  /// Sets the gain to its target at once, before the first block.
  @_noLocks
  mutating func settle() { gain.jump(to: gain.target) }

  /// Advances while the signal is silent.
  @_noLocks
  mutating func skip(frames: Int) { gain.skip(frames: frames) }

  /// The greatest gain until it reaches its target.
  var most: Float {
    @_noLocks get { max(gain.current, gain.target) }
  }

  /// The target gain.
  var target: Float {
    @_noLocks get { gain.target }
  }

  /// Whether the gain has reached 0.
  var isClosed: Bool {
    @_noLocks get { !gain.isMoving && gain.target == 0 }
  }

  /// Whether the gain has reached its target.
  var isResting: Bool {
    @_noLocks get { !gain.isMoving }
  }

  /// Multiplies a block in place.
  @_noLocks
  mutating func apply(
    to sound: Stereo, frames: Int, scratch: UnsafeMutablePointer<Float>
  ) {
    if gain.isMoving {
      gain.fill(scratch, frames: frames)
      Blocks.scale(sound.left, by: scratch, to: sound.left, frames: frames)
      Blocks.scale(sound.right, by: scratch, to: sound.right, frames: frames)
    } else if gain.target != 1 {
      Blocks.scale(sound.left, by: gain.target, to: sound.left, frames: frames)
      Blocks.scale(sound.right, by: gain.target, to: sound.right, frames: frames)
    }
  }

  /// Multiplies one side of a block in place.
  @_noLocks
  mutating func apply(
    to samples: UnsafeMutablePointer<Float>, frames: Int, scratch: UnsafeMutablePointer<Float>
  ) {
    if gain.isMoving {
      gain.fill(scratch, frames: frames)
      Blocks.scale(samples, by: scratch, to: samples, frames: frames)
    } else if gain.target != 1 {
      Blocks.scale(samples, by: gain.target, to: samples, frames: frames)
    }
  }

  /// Adds a block to a bus.
  @_noLocks
  mutating func add(
    _ sound: Stereo, to bus: Stereo, frames: Int, scratch: UnsafeMutablePointer<Float>
  ) {
    if gain.isMoving {
      gain.fill(scratch, frames: frames)
      Blocks.add(sound.left, times: scratch, to: bus.left, frames: frames)
      Blocks.add(sound.right, times: scratch, to: bus.right, frames: frames)
    } else if gain.target != 0 {
      Blocks.add(sound.left, times: gain.target, to: bus.left, frames: frames)
      Blocks.add(sound.right, times: gain.target, to: bus.right, frames: frames)
    }
  }
}
