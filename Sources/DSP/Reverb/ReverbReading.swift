/// Interpolation weights for eight lines: six taps, one SIMD lane per line.
///
/// They combine Lagrange's cubic, with one sample before the position and three from it on, and the
/// zeros of the damping into one FIR filter.
struct ReverbReading: BitwiseCopyable {
  let w0, w1, w2, w3, w4, w5: SIMD8<Float>

  /// Creates the weights for fractional positions `x`, 0 to 1 and slightly beyond.
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
