internal import Glibc

extension Address {
  /// The law of a fader or knob: the curve from its travel, 0 to 1, to the range of an address.
  ///
  /// Knobs, the page and the layouts of control surfaces share it. The page reads its name from the
  /// OSCQuery tree.
  package enum Curve: String, CaseIterable, Sendable {
    /// Equal travel adds equal amounts.
    case linear
    /// Equal travel multiplies by equal factors, for frequencies, times, speeds and tempo. The range
    /// begins above 0.
    case exponential
    /// The taper of a level in dB: the square root of the travel. Its upper half is the upper 30 % of
    /// the range, as on a mixer.
    case level

    // A range that spans less than this factor is as good as linear.
    private static let leastFactor = 8.0

    /// The usual curve for a number in a range with a unit.
    init(_ range: ClosedRange<Double>, unit: String) {
      let isWide = range.lowerBound > 0 && range.upperBound / range.lowerBound >= Self.leastFactor
      self = unit == "dB" ? .level : isWide ? .exponential : .linear
    }

    /// The value at a position of the travel, 0 to 1, exact at both ends.
    package func value(at position: Double, in range: ClosedRange<Double>) -> Double {
      let (low, high) = (range.lowerBound, range.upperBound)
      if position <= 0 { return low }
      if position >= 1 { return high }
      return switch self {
      case .linear: low + (high - low) * position
      case .exponential: low * pow(high / low, position)
      case .level: low + (high - low) * position.squareRoot()
      }
    }
  }

  /// The curve of its only number; linear if it takes whole numbers, or something else.
  static func usualCurve(_ kind: Kind, unit: String) -> Curve {
    guard case .value(let value) = kind, value.forms.count == 1, value.forms[0].kind == .number,
      value.forms[0].range != Form.anything
    else { return .linear }
    return Curve(value.forms[0].range, unit: unit)
  }
}
