/// The tempo of taps: that of the median of the last times between two taps, which
/// one bad tap does not move.
package struct TapTempo: Sendable {
  // An even number of times would have two in the middle.
  private static let mostGaps = 7
  // Taps a little out of the range still mean its ends. What comes faster is one tap that was told
  // twice, and what comes later begins anew.
  private static let least = 60 / Tempo.possible.upperBound * 0.8
  private static let most = 60 / Tempo.possible.lowerBound * 1.1

  private var last: Double?
  private var gaps: [Double] = []

  /// Creates a tempo that waits for its first tap.
  package init() {}

  /// Takes a tap at a time in seconds; nil as long as there are not two of one tempo.
  package mutating func tap(at seconds: Double) -> Tempo? {
    guard seconds.isFinite else { return tempo }
    guard let last else {
      self.last = seconds
      return nil
    }
    let gap = seconds - last
    if 0..<Self.least ~= gap { return tempo }
    self.last = seconds
    guard Self.least...Self.most ~= gap else {
      gaps = []
      return nil
    }
    gaps.append(gap)
    if gaps.count > Self.mostGaps { gaps.removeFirst() }
    return tempo
  }

  /// The tempo of the taps so far.
  package var tempo: Tempo? {
    guard !gaps.isEmpty else { return nil }
    let sorted = gaps.sorted()
    let middle = sorted.count / 2
    let median =
      sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    return Tempo(clamping: 60 / median)
  }
}
