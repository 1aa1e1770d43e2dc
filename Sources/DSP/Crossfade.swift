/// A linear-gain crossfade between two correlated signals, with an S-shaped ramp.
package enum Crossfade {
  /// The smoothstep curve: maps 0...1 to 0...1 with zero slope at both ends.
  @_noLocks
  package static func eased(_ share: Float) -> Float { share * share * (3 - 2 * share) }

  /// The S-curve of the seventh degree: maps 0...1 to 0...1 with three zero derivatives at both ends.
  ///
  /// A tone that fades in along it within a millisecond is below -89 dB above 6 kHz; with `eased`, at -65 dB.
  @_noLocks
  package static func gentle(_ share: Float) -> Float {
    // The second half mirrors the first, where the terms don't cancel.
    let part = min(share, 1 - share)
    let squared = part * part
    let rise = squared * squared * (35 + part * (-84 + part * (70 - 20 * part)))
    return share < 0.5 ? rise : 1 - rise
  }

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
