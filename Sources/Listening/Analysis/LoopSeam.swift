internal import CRealtime

/// A seam at which the end of a steady sound can lead into an earlier place of it.
package struct LoopSeam: Equatable, Sendable {
  /// The frames that go round.
  package let loop: Range<Int>
  /// How like each other the frames before both ends are, up to 1.
  package let likeness: Float
  /// How many frames before the end are faded into those before the beginning.
  package let fade: Int

  // Less alike, a loop would be heard as one.
  private static let leastLikeness: Float = 0.5

  /// Finds the best seam within steady frames of a sound that has a period; nil where nothing fits.
  ///
  /// The loop begins with them, and is more than half as long. So many frames before them as it is
  /// faded in must be of the same sound.
  package static func find(
    in sound: [Float], steady: Range<Int>, period: Double, fade: Int
  ) -> LoopSeam? {
    guard period >= 2, fade > 0, steady.lowerBound >= fade, steady.upperBound <= sound.count else {
      return nil
    }
    let first = steady.lowerBound
    let earliest = max(first + fade, first + Int(0.55 * Double(steady.count)))
    guard earliest < steady.upperBound else { return nil }
    func best(_ places: some Sequence<Int>) -> (end: Int, likeness: Float) {
      var best = (end: first, likeness: -Float.infinity)
      for end in places {
        let likeness = likeness(of: sound, before: first, and: end, frames: fade)
        if likeness > best.likeness { best = (end, likeness) }
      }
      return best
    }
    // From behind, so that of equals the longest is taken; then to the frame.
    let step = max(1, Int(period / 8))
    let rough = best(stride(from: steady.upperBound, to: earliest, by: -step))
    let fine = best(
      max(earliest, rough.end - step)...min(steady.upperBound, rough.end + step))
    guard fine.likeness > leastLikeness else { return nil }
    return LoopSeam(loop: first..<fine.end, likeness: fine.likeness, fade: fade)
  }

  /// Measures how like each other the frames before two places are, from -1 to 1.
  private static func likeness(
    of sound: [Float], before one: Int, and other: Int, frames: Int
  ) -> Float {
    sound.withUnsafeBufferPointer { sound in
      var (product, first, second) = (Float(0), Float(0), Float(0))
      for frame in 1...frames {
        let (a, b) = (sound[one - frame], sound[other - frame])
        product += a * b
        first += a * a
        second += b * b
      }
      let power = rt_square_root(first) * rt_square_root(second)
      return power > 0 ? product / power : 0
    }
  }

  /// Fades the end of the loop into what comes before its beginning.
  package func blend(_ sound: inout [Float]) {
    for frame in 0..<fade {
      let part = (Float(frame) + 0.5) / Float(fade)
      let (old, new) = (loop.upperBound - fade + frame, loop.lowerBound - fade + frame)
      // Alike, both add up as amplitudes do; otherwise as powers.
      let power = (1 - part) * (1 - part) + part * part + 2 * part * (1 - part) * likeness
      sound[old] = ((1 - part) * sound[old] + part * sound[new]) / rt_square_root(power)
    }
  }
}
