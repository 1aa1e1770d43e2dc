/// A deterministic pseudorandom generator, used as a source of white noise.
///
/// SplitMix64, from Guy Steele, Doug Lea and Christine Flood, "Fast Splittable Pseudorandom Number
/// Generators" (2014).
package struct NoiseDice: Sendable {
  private var state: UInt64

  /// Creates the sequence of a seed.
  package init(seed: UInt64) { state = seed }

  /// Returns the next number, from -1 to below 1.
  package mutating func next() -> Float {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return Float(Int64(bitPattern: bits) >> 40) / 8_388_608
  }

  /// Returns the next number, from 0 to below 1.
  package mutating func nextPart() -> Double { Double(next()) / 2 + 0.5 }
}
