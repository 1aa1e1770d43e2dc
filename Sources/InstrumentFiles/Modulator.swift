package import DSP
internal import Glibc

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

  /// Returns the offset of the destination for controller positions from 0 to 1.
  package func value(at place: Double, scale other: Double = 1) -> Double {
    let value = amount * source.value(place) * scale.value(other)
    return isAbsolute ? abs(value) : value
  }

  /// Whether both have the same controllers and destination, regardless of the amount.
  func isSame(_ other: Modulator) -> Bool {
    target == other.target && source == other.source && scale == other.scale
      && isAbsolute == other.isAbsolute
  }
}

extension SamplerModulator.Source {
  /// Returns the value for a controller position from 0 to 1.
  package func value(_ place: Double) -> Double {
    if controller == .constant { return 1 }
    let way = max(0, min(1, isReversed ? 1 - place : place))
    guard isBipolar else { return shaped(way) }
    if curve == .step { return way < 0.5 ? -1 : 1 }
    return way < 0.5 ? -shaped(1 - 2 * way) : shaped(2 * way - 1)
  }

  private func shaped(_ way: Double) -> Double {
    switch curve {
    case .linear: way
    case .concave: way >= 1 ? 1 : min(1, -40.0 / 96 * log10(1 - way))
    case .convex: way <= 0 ? 0 : max(0, 1 + 40.0 / 96 * log10(way))
    case .step: way < 0.5 ? 0 : 1
    }
  }
}
