internal import DSP

/// A gain on a stereo signal that changes without a step.
typealias Fader = Glide

extension Glide {
  /// Sets the gain to its target at once, before the first block.
  @_noLocks
  mutating func settle() { jump(to: target) }

  /// The maximum gain until it reaches its target.
  var most: Float { @_noLocks get { max(current, target) } }

  /// Whether the gain has reached 0.
  var isClosed: Bool { @_noLocks get { !isMoving && target == 0 } }

  /// Whether the gain has reached its target.
  var isResting: Bool { @_noLocks get { !isMoving } }

  /// Multiplies a block in place.
  @_noLocks
  mutating func apply(
    to sound: Stereo, frames: Int, scratch: UnsafeMutablePointer<Float>
  ) {
    if isMoving {
      fill(scratch, frames: frames)
      Blocks.scale(sound.left, by: scratch, to: sound.left, frames: frames)
      Blocks.scale(sound.right, by: scratch, to: sound.right, frames: frames)
    } else if target != 1 {
      Blocks.scale(sound.left, by: target, to: sound.left, frames: frames)
      Blocks.scale(sound.right, by: target, to: sound.right, frames: frames)
    }
  }

  /// Multiplies one side of a block in place.
  @_noLocks
  mutating func apply(
    to samples: UnsafeMutablePointer<Float>, frames: Int, scratch: UnsafeMutablePointer<Float>
  ) {
    if isMoving {
      fill(scratch, frames: frames)
      Blocks.scale(samples, by: scratch, to: samples, frames: frames)
    } else if target != 1 {
      Blocks.scale(samples, by: target, to: samples, frames: frames)
    }
  }

  /// Adds a block to a bus.
  @_noLocks
  mutating func add(
    _ sound: Stereo, to bus: Stereo, frames: Int, scratch: UnsafeMutablePointer<Float>
  ) {
    if isMoving {
      fill(scratch, frames: frames)
      Blocks.add(sound.left, times: scratch, to: bus.left, frames: frames)
      Blocks.add(sound.right, times: scratch, to: bus.right, frames: frames)
    } else if target != 0 {
      Blocks.add(sound.left, times: target, to: bus.left, frames: frames)
      Blocks.add(sound.right, times: target, to: bus.right, frames: frames)
    }
  }
}
