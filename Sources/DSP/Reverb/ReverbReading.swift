/// The interpolation of eight lines between their samples: six weights, a lane a line.
///
/// Lagrange's cubic through four samples, one before the place and three from it on, and the
/// zeros of the damping, as one filter.
struct ReverbReading: BitwiseCopyable {
  let w0, w1, w2, w3, w4, w5: SIMD8<Float>

  /// The weights for places that lie `x` later than a sample, 0 to 1 and a little beyond.
  @_noLocks
  init(_ x: SIMD8<Float>, _ zeros: ReverbDamping.Zeros) {
    let (beyond, before, farBefore) = (x + 1, x - 1, x - 2)
    let outer = x * before * farBefore * (-1 / 6)
    let here = beyond * before * farBefore * 0.5
    let next = beyond * x * farBefore * -0.5
    let last = beyond * x * before * (1 / 6)
    w0 = outer * zeros.first
    w1 = here * zeros.first + outer * zeros.second
    w2 = next * zeros.first + here * zeros.second + outer * zeros.third
    w3 = last * zeros.first + next * zeros.second + here * zeros.third
    w4 = last * zeros.second + next * zeros.third
    w5 = last * zeros.third
  }
}
