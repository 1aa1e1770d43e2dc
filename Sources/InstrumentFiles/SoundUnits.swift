internal import Glibc
internal import Music

/// Unit conversions for sound file formats.
enum SoundUnits {
  /// The frequency of MIDI key 0, in Hz.
  private static let bottom = 440 * Cents.ratio(-6900)

  /// Converts cents above MIDI key 0 to a frequency in Hz.
  static func hertz(cents: Double) -> Double { bottom * Cents.ratio(cents) }

  /// Converts dB to an amplitude factor.
  static func amplitude(decibels: Double) -> Double { pow(10, decibels / 20) }
}
