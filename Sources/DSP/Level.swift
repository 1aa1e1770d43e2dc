internal import CRealtime

/// Conversions between decibels and linear gain.
package enum Level {
  /// The level in dB at and below which the gain is 0.
  package static let silenceDecibels: Float = -90

  /// Returns the linear gain for a level in dB: exactly 0 at `silenceDecibels` and below, exactly 1
  /// at 0 dB.
  @_noLocks
  package static func gain(decibels: Float) -> Float {
    if decibels <= silenceDecibels { return 0 }
    if decibels == 0 { return 1 }
    return rt_exp(decibels * 0.115_129_254_6)  // ln(10) / 20
  }

  /// Returns the level in dB for a linear gain, -120 at least.
  package static func decibels(_ gain: Float) -> Float {
    gain > 1e-6 ? 8.685_889_638 * rt_log(gain) : -120  // 20 / ln(10)
  }
}
