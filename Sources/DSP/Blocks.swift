internal import CRealtime

/// Arithmetic on whole blocks of samples; source and destination may be the same.
package enum Blocks {
  /// Writes `frames` zeros.
  @_noLocks
  package static func clear(_ to: UnsafeMutablePointer<Float>, frames: Int) {
    rt_zero(to, frames)
  }

  /// Copies `frames` samples between two places that don't overlap.
  @_noLocks
  package static func copy(
    _ from: UnsafePointer<Float>, to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    rt_copy(to, from, frames)
  }

  /// Multiplies by one gain.
  @_noLocks
  package static func scale(
    _ from: UnsafePointer<Float>, by gain: Float, to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    for frame in 0..<frames { to[frame] = from[frame] * gain }
  }

  /// Multiplies by a gain a sample.
  @_noLocks
  package static func scale(
    _ from: UnsafePointer<Float>, by gains: UnsafePointer<Float>,
    to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    for frame in 0..<frames { to[frame] = from[frame] * gains[frame] }
  }

  /// Adds what was multiplied by one gain.
  @_noLocks
  package static func add(
    _ from: UnsafePointer<Float>, times gain: Float, to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    for frame in 0..<frames { to[frame] += from[frame] * gain }
  }

  /// Adds what was multiplied by a gain a sample.
  @_noLocks
  package static func add(
    _ from: UnsafePointer<Float>, times gains: UnsafePointer<Float>,
    to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    for frame in 0..<frames { to[frame] += from[frame] * gains[frame] }
  }
}
