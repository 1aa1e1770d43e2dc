/// A crossfade from one sound to another that is like it, without a corner at either end.
package enum Crossfade {
  /// The progress at a share of the way, 0 to 1, along an S whose slope is 0 at both ends.
  @_noLocks
  package static func eased(_ share: Float) -> Float { share * share * (3 - 2 * share) }

  /// Goes on with a crossfade of `length` frames of which `done` are done: mixes both new
  /// sides into the block, which is all theirs from the crossfade's end on.
  @_noLocks
  package static func mix(
    left: UnsafePointer<Float>, right: UnsafePointer<Float>, into sound: Stereo, done: Int,
    length: Int, frames: Int
  ) {
    let scale = 1 / Float(length)
    for frame in 0..<frames {
      let share = eased(min(Float(done &+ frame) * scale, 1))
      sound.left[frame] += share * (left[frame] - sound.left[frame])
      sound.right[frame] += share * (right[frame] - sound.right[frame])
    }
  }
}
