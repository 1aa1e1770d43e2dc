/// The soft clipper of a feedback loop.
///
/// Bit-transparent up to half of full scale. Above, it follows a Padé approximation of tanh toward
/// full scale, with continuous slope and curvature at both joints.
enum Saturator {
  /// Saturates eight samples.
  @_noLocks @inline(__always)
  static func bend(_ samples: SIMD8<Float>) -> SIMD8<Float> {
    let bits = unsafeBitCast(samples, to: SIMD8<UInt32>.self)
    let sign = bits & SIMD8<UInt32>(repeating: 0x8000_0000)
    let magnitude = unsafeBitCast(
      bits & SIMD8<UInt32>(repeating: 0x7FFF_FFFF), to: SIMD8<Float>.self)
    let straight = bounded(magnitude, most: 0.5)
    // tanh(u) is close to 1 + (u - 3)^3 / (27 + 9 u^2), which is 0 at 0 and 1 at 3.
    let u = bounded((magnitude - straight) * 2, most: 3)
    let away = u - 3
    let bent = 1 + away * away * away / (27 + 9 * (u * u))
    let result = straight + 0.5 * bent
    return unsafeBitCast(
      unsafeBitCast(result, to: SIMD8<UInt32>.self) | sign, to: SIMD8<Float>.self)
  }

  /// The minimum of each of eight samples and a bound.
  @_noLocks @inline(__always)
  static func bounded(_ samples: SIMD8<Float>, most: Float) -> SIMD8<Float> {
    let bound = SIMD8<Float>(repeating: most)
    return samples.replacing(with: bound, where: samples .> bound)
  }

  /// The maximum of each of eight samples and a bound.
  @_noLocks @inline(__always)
  static func bounded(_ samples: SIMD8<Float>, least: Float) -> SIMD8<Float> {
    let bound = SIMD8<Float>(repeating: least)
    return samples.replacing(with: bound, where: samples .< bound)
  }
}
