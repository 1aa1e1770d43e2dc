internal import Glibc
internal import Music

/// The units in which files of sounds count, as plain ratios.
enum SoundUnits {
  /// The frequency of MIDI key 0, in Hz.
  private static let bottom = 440 * Cents.ratio(-6900)

  /// The frequency that is so many cents above MIDI key 0, in Hz.
  static func hertz(cents: Double) -> Double { bottom * Cents.ratio(cents) }

  /// The factor of an amplitude that is so many dB.
  static func amplitude(decibels: Double) -> Double { pow(10, decibels / 20) }
}
