/// A linear-gain crossfade between two correlated signals, with an S-shaped ramp.
package enum Crossfade {
  /// The smoothstep curve: maps 0...1 to 0...1 with zero slope at both ends.
  @_noLocks
  package static func eased(_ share: Float) -> Float { share * share * (3 - 2 * share) }

  /// Renders the next `frames` frames of a crossfade, in place.
  ///
  /// The crossfade is `length` frames long, of which `done` have been rendered. Past its end the
  /// block holds only the new signal.
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
