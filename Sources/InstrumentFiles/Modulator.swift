internal import Glibc

/// A modulator: how something that a player does changes a sound.
package struct Modulator: Equatable, Sendable {
  /// What moves it.
  package enum Controller: Hashable, Sendable {
    /// Always full.
    case constant
    case velocity, key, keyPressure, channelPressure, pitchWheel, pitchWheelRange
    /// A control change, by its number.
    case control(Int)
  }

  /// The curve from the way of a controller to one from 0 to 1.
  package enum Curve: Sendable {
    case linear
    /// Little at first, then ever more: -40/96 log10(1 - x).
    case concave
    /// Much at first, then ever less: 1 + 40/96 log10(x).
    case convex
    /// Nothing in the lower half, and all in the upper.
    case step
  }

  /// A controller, and how it counts.
  package struct Source: Hashable, Sendable {
    /// What moves it.
    package var controller: Controller
    /// The shape of its way.
    package var curve = Curve.linear
    /// Whether it is full at the bottom.
    package var isReversed = false
    /// Whether it goes from -1 to 1, and not from 0.
    package var isBipolar = false

    /// Tells the value for a place of the controller from 0 to 1.
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

  /// The target, with the unit of the amount.
  package enum Target: Hashable, Sendable {
    /// Cents.
    case pitch
    /// Cents for each key.
    case keyTracking
    /// dB, more of which is softer.
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
    /// Cents of a time: 1200 is twice as long.
    case tremoloDelay, vibratoDelay
    /// Cents of a time.
    case delay, attack, hold, decay, release
    /// dB below full.
    case sustain
    /// Cents of a time.
    case modulationDelay, modulationAttack, modulationHold, modulationDecay, modulationRelease
    /// From 0 to 1 below full.
    case modulationSustain
    /// Cents for each key.
    case holdPerKey, decayPerKey, modulationHoldPerKey, modulationDecayPerKey
  }

  /// What moves it.
  package var source: Source
  /// The second controller, which scales the amount; constant where nothing does.
  package var scale = Source(controller: .constant)
  /// The target.
  package var target: Target
  /// The amount, in the unit of the target.
  package var amount: Double
  /// Whether what falls below 0 counts as much above it.
  package var isAbsolute = false

  /// Tells the movement of the target where source and scale are at places from 0 to 1.
  package func value(at place: Double, scale other: Double = 1) -> Double {
    let value = amount * source.value(place) * scale.value(other)
    return isAbsolute ? abs(value) : value
  }

  /// Whether both do the same, if not as much.
  func isSame(_ other: Modulator) -> Bool {
    target == other.target && source == other.source && scale == other.scale
      && isAbsolute == other.isAbsolute
  }
}
