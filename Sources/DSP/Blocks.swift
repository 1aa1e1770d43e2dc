internal import CRealtime

/// Arithmetic on blocks of samples.
///
/// Source and destination may be the same.
package enum Blocks {
  /// Writes `frames` zeros.
  @_noLocks
  package static func clear(_ to: UnsafeMutablePointer<Float>, frames: Int) {
    rt_zero(to, frames)
  }

  /// Copies `frames` samples.
  ///
  /// The regions must not overlap.
  @_noLocks
  package static func copy(
    _ from: UnsafePointer<Float>, to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    rt_copy(to, from, frames)
  }

  /// Multiplies all samples by one gain.
  @_noLocks
  package static func scale(
    _ from: UnsafePointer<Float>, by gain: Float, to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    for frame in 0..<frames { to[frame] = from[frame] * gain }
  }

  /// Multiplies each sample by its own gain.
  @_noLocks
  package static func scale(
    _ from: UnsafePointer<Float>, by gains: UnsafePointer<Float>,
    to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    for frame in 0..<frames { to[frame] = from[frame] * gains[frame] }
  }

  /// Accumulates the samples of `from` multiplied by one gain.
  @_noLocks
  package static func add(
    _ from: UnsafePointer<Float>, times gain: Float, to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    for frame in 0..<frames { to[frame] += from[frame] * gain }
  }

  /// Accumulates the samples of `from`, each multiplied by its own gain.
  @_noLocks
  package static func add(
    _ from: UnsafePointer<Float>, times gains: UnsafePointer<Float>,
    to: UnsafeMutablePointer<Float>, frames: Int
  ) {
    for frame in 0..<frames { to[frame] += from[frame] * gains[frame] }
  }
}
