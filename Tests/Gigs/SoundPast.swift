/// The last seconds of a signal, in which a part of it can be found.
struct SoundPast {
  private static let most = 48_000 * 45
  private(set) var samples: [Float] = []

  mutating func append(_ more: [Float]) {
    samples += more
    if samples.count > 2 * Self.most { samples.removeFirst(samples.count - Self.most) }
  }

  /// The place that a part is most like, its gain there, and the correlation.
  func likeliest(_ part: [Float]) -> (place: Int, gain: Float, likeness: Float) {
    var best = (place: 0, gain: Float(0), likeness: Float(0))
    let energy = part.reduce(0) { $0 + $1 * $1 }
    samples.withUnsafeBufferPointer { samples in
      for start in samples.indices.dropLast(part.count - 1) {
        var (product, power): (Float, Float) = (0, 1e-12)
        for index in part.indices {
          product += part[index] * samples[start + index]
          power += samples[start + index] * samples[start + index]
        }
        let likeness = abs(product) / (power * max(energy, 1e-12)).squareRoot()
        if likeness > best.likeness { best = (start, product / power, likeness) }
      }
    }
    return best
  }
}
