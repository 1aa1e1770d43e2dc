internal import Foundation

/// Measurements of rendered sound.
enum Measure {
  static func cosine(_ phase: Double) -> Double { cos(phase) }

  /// The level of everything except the tone near a frequency, in dB below that tone.
  ///
  /// The tone's exact frequency is searched for: this measures how clean the tone is, not its
  /// pitch.
  static func clean(_ sound: [Float], near hertz: Double) -> Double {
    var (low, high) = (hertz * 0.999, hertz * 1.001)
    // A coarse search first: the residue has many local minima far from the tone.
    var best = (low...high, Double.infinity)
    for step in 0..<40 {
      let at = low + (high - low) * (Double(step) + 0.5) / 40
      let rest = residue(sound, at)
      if rest < best.1 { best = (at - (high - low) / 40...at + (high - low) / 40, rest) }
    }
    (low, high) = (best.0.lowerBound, best.0.upperBound)
    for _ in 0..<60 {
      let (a, b) = (low + (high - low) * 0.382, low + (high - low) * 0.618)
      if residue(sound, a) < residue(sound, b) { high = b } else { low = a }
    }
    return -10 * log10(residue(sound, (low + high) / 2))
  }

  /// The share of the power that remains after subtracting the best-fitting sine.
  private static func residue(_ sound: [Float], _ hertz: Double) -> Double {
    let turn = 2 * Double.pi * hertz / 48_000
    var (cc, ss, cs, xc, xs, xx) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for (frame, sample) in sound.enumerated() {
      let (s, c) = (sin(turn * Double(frame)), cos(turn * Double(frame)))
      let x = Double(sample)
      cc += c * c
      ss += s * s
      cs += c * s
      xc += x * c
      xs += x * s
      xx += x * x
    }
    let determinant = cc * ss - cs * cs
    let (a, b) = ((xc * ss - xs * cs) / determinant, (xs * cc - xc * cs) / determinant)
    var rest = 0.0
    for (frame, sample) in sound.enumerated() {
      let left =
        Double(sample) - a * cos(turn * Double(frame)) - b * sin(turn * Double(frame))
      rest += left * left
    }
    return max(rest, 1e-300) / xx
  }

  /// Formats a number with `places` decimals, right-aligned.
  static func text(_ value: Double, _ places: Int = 1, width: Int = 10) -> String {
    let text = String(format: "%.\(places)f", value)
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// Formats a label, left-aligned.
  static func label(_ text: String, width: Int = 34) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
