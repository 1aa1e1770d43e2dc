internal import Glibc

/// A modulator: it maps a controller to a parameter of a sound.
package struct Modulator: Equatable, Sendable {
  /// The controller.
  package enum Controller: Hashable, Sendable {
    /// Always 1.
    case constant
    case velocity, key, keyPressure, channelPressure, pitchWheel, pitchWheelRange
    /// A control change, by its number.
    case control(Int)
  }

  /// The curve from the controller position to a value from 0 to 1.
  package enum Curve: Sendable {
    case linear
    /// Rises slowly at first: -40/96 log10(1 - x).
    case concave
    /// Rises fast at first: 1 + 40/96 log10(x).
    case convex
    /// 0 in the lower half, 1 in the upper.
    case step
  }

  /// A controller with its curve.
  package struct Source: Hashable, Sendable {
    package var controller: Controller
    package var curve = Curve.linear
    /// Whether the value falls as the controller rises.
    package var isReversed = false
    /// Whether the range is -1 to 1 instead of 0 to 1.
    package var isBipolar = false

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

  /// The destination, with the unit of the amount.
  package enum Target: Hashable, Sendable {
    /// Cents.
    case pitch
    /// Cents per key.
    case keyTracking
    /// dB of attenuation: larger is softer.
    case attenuation
    /// From -1 to 1.
    case pan
    /// From 0 to 1.
    case reverb, chorus
    /// Cents.
    case cutoff
    /// dB.
    case resonance
    /// Cents.
    case tremoloToPitch, tremoloToFilter, vibratoToPitch, modulationToPitch, modulationToFilter
    /// dB.
    case tremoloToGain
    /// Cents of a frequency.
    case tremoloFrequency, vibratoFrequency
    /// Timecents: 1200 doubles the time.
    case tremoloDelay, vibratoDelay
    /// Timecents.
    case delay, attack, hold, decay, release
    /// dB below full level.
    case sustain
    /// Timecents.
    case modulationDelay, modulationAttack, modulationHold, modulationDecay, modulationRelease
    /// From 0 to 1 below full level.
    case modulationSustain
    /// Timecents per key.
    case holdPerKey, decayPerKey, modulationHoldPerKey, modulationDecayPerKey
  }

  /// The primary controller.
  package var source: Source
  /// The secondary controller, which scales the amount.
  ///
  /// Constant if unused.
  package var scale = Source(controller: .constant)
  /// The destination.
  package var target: Target
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
