/// Tap tempo: the median of the last intervals, which a single bad tap doesn't change.
package struct TapTempo: Sendable {
  /// The range of tempos, in BPM.
  package static let possible = 20.0...300.0

  // Odd, so that a full history has a single median.
  private static let mostGaps = 7
  // Taps slightly out of range count as its ends. A faster tap is a bounce of the same tap; a
  // slower one starts over.
  private static let least = 60 / possible.upperBound * 0.8
  private static let most = 60 / possible.lowerBound * 1.1

  private var last: Double?
  private var gaps: [Double] = []

  /// Creates a detector without taps.
  package init() {}

  /// Records a tap at a time in seconds, and returns the tempo in BPM, or nil until there are two taps.
  package mutating func tap(at seconds: Double) -> Double? {
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

  /// The tempo of the taps so far, in BPM, within the range.
  package var tempo: Double? {
    guard !gaps.isEmpty else { return nil }
    let sorted = gaps.sorted()
    let middle = sorted.count / 2
    let median =
      sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    return min(max(60 / median, Self.possible.lowerBound), Self.possible.upperBound)
  }
}
