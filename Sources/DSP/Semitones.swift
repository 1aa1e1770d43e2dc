internal import CRealtime

/// Conversions of semitones in equal temperament.
package enum Semitones {
  /// The frequency ratio of an interval.
  @_noLocks
  package static func ratio(_ semitones: Float) -> Float {
    semitones == 0 ? 1 : rt_exp(semitones * 0.057_762_265)
  }

  /// The fractional MIDI note number of a frequency.
  @_noLocks
  package static func note(hertz: Float) -> Float { 69 + 12 * 1.442_695 * rt_log(hertz / 440) }
}
