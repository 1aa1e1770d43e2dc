/// The last seconds of a signal, in which an excerpt can be located.
struct SoundPast {
  private static let most = 48_000 * 45
  private(set) var samples: [Float] = []

  mutating func append(_ more: [Float]) {
    samples += more
    if samples.count > 2 * Self.most { samples.removeFirst(samples.count - Self.most) }
  }

  /// Returns the position with the highest correlation to an excerpt, the gain there, and the correlation.
  func likeliest(_ part: [Float]) -> (place: Int, gain: Float, likeness: Float) {
    var best = (place: 0, gain: Float(0), likeness: Float(0))
    let energy = part.reduce(0) { $0 + $1 * $1 }
    precondition(part.count % 16 == 0)
    let vectors = part.count / 16
    samples.withUnsafeBytes { samples in
      let size = MemoryLayout<Float>.stride
      for start in 0..<max(0, self.samples.count - part.count + 1) {
        var (products, powers) = (SIMD16<Float>(), SIMD16<Float>())
        part.withUnsafeBytes { part in
          for vector in 0..<vectors {
            let sample = samples.loadUnaligned(
              fromByteOffset: (start + 16 * vector) * size, as: SIMD16<Float>.self)
            let wanted = part.loadUnaligned(
              fromByteOffset: 16 * vector * size, as: SIMD16<Float>.self)
            products += wanted * sample
            powers += sample * sample
          }
        }
        let (product, power) = (products.sum(), powers.sum() + 1e-12)
        let likeness = abs(product) / (power * max(energy, 1e-12)).squareRoot()
        if likeness > best.likeness { best = (start, product / power, likeness) }
      }
    }
    return best
  }
}
