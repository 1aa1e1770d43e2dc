internal import Glibc

/// Ratios on the scales that music has for them.
enum Cents {
  /// The frequency of MIDI key 0, from which files of sounds count.
  static let bottom = 440 * exp2(-69.0 / 12)

  /// The ratio that is so many cents.
  static func factor(_ cents: Double) -> Double { exp2(cents / 1200) }

  /// The frequency that is so many cents above key 0, in Hz.
  static func hertz(_ cents: Double) -> Double { bottom * factor(cents) }

  /// The factor of an amplitude that is so many dB.
  static func amplitude(decibels: Double) -> Double { pow(10, decibels / 20) }
}
