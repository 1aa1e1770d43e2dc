internal import CRealtime

/// The window of a grain: a rise up to its center, a plateau, and a fall.
enum VoiceSlope {
  /// Writes the weights of `count` frames, the first at `position` after the center.
  @_noLocks
  static func weigh(
    _ weights: UnsafeMutablePointer<Float>, gain: Float, from position: Int64, rise: Int64,
    fallBegin: Int64, fallEnd: Int64, likenessBefore: Float = 1, likenessBehind: Float = 1,
    count: Int
  ) {
    for frame in 0..<count { weights[frame] = gain }
    if position < 0 && rise > 0 {
      let end = min(count, VoicePlaces.ceiling(0 &- position))
      multiply(
        weights, frames: end, from: position &+ rise, step: WarpStep.unity, length: rise,
        likeness: likenessBefore)
    }
    if position &+ Int64(count &- 1) << 32 > fallBegin {
      let begin = fallBegin < position ? 0 : Int((fallBegin &- position) >> 32) &+ 1
      multiply(
        weights + begin, frames: count &- begin, from: fallEnd &- position &- Int64(begin) << 32,
        step: -WarpStep.unity, length: max(1, fallEnd &- fallBegin), likeness: likenessBehind)
    }
  }

  /// Multiplies weights by those of a slope of this length, starting at `way` from its foot.
  @_noLocks
  private static func multiply(
    _ weights: UnsafeMutablePointer<Float>, frames: Int, from way: Int64, step: Int64,
    length: Int64, likeness: Float
  ) {
    // With 15 fractional bits, four frames at a time convert to floats.
    let first = Int32(truncatingIfNeeded: way >> 17)
    let step = Int32(truncatingIfNeeded: step >> 17)
    let scale = 131_072 / Float(length)
    if likeness >= 1 {
      for frame in 0..<frames {
        let share = Float(first &+ Int32(truncatingIfNeeded: frame) &* step) * scale
        weights[frame] *= Crossfade.eased(max(0, min(1, share)))
      }
      return
    }
    // The powers of uncorrelated signals add up, not the amplitudes.
    for frame in 0..<frames {
      let share = Float(first &+ Int32(truncatingIfNeeded: frame) &* step) * scale
      let weight = Crossfade.eased(max(0, min(1, share)))
      let other = 1 - weight
      weights[frame] *=
        weight / rt_square_root(weight * weight + other * other + 2 * likeness * weight * other)
    }
  }
}
