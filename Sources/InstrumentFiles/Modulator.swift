package import DSP

/// A modulator: it maps a controller to a parameter of a sound.
package struct Modulator: Equatable, Sendable {
  package typealias Source = SamplerModulator.Source

  /// The primary controller.
  package var source: Source
  /// The secondary controller, which scales the amount.
  ///
  /// Constant if unused.
  package var scale = Source(.constant)
  /// The destination.
  package var target: SamplerModulator.Target
  /// The amount, in the unit of the destination.
  package var amount: Double
  /// Whether the absolute value is taken.
  package var isAbsolute = false

  /// Whether both have the same controllers and destination, regardless of the amount.
  func isSame(_ other: Modulator) -> Bool {
    target == other.target && source == other.source && scale == other.scale
      && isAbsolute == other.isAbsolute
  }
}
