internal import CRealtime

/// A loop point: where the end of a steady sound can crossfade into an earlier part of it.
package struct LoopSeam: Equatable, Sendable {
  /// The loop range, in frames.
  package let loop: Range<Int>
  /// The correlation of the frames before both loop points, up to 1.
  package let likeness: Float
  /// The length of the crossfade before the loop end, in frames.
  package let fade: Int

  // Below this correlation the loop would be audible.
  private static let leastLikeness: Float = 0.5

  /// Finds the best loop within the steady frames of a periodic sound, or nil if nothing fits.
  ///
  /// The loop starts at the first steady frame and covers more than half of them. The `fade` frames
  /// before the start must belong to the same sound.
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
    // Searches backward, so that the longest of equal loops wins, then refines to a frame.
    let step = max(1, Int(period / 8))
    let rough = best(stride(from: steady.upperBound, to: earliest, by: -step))
    let fine = best(
      max(earliest, rough.end - step)...min(steady.upperBound, rough.end + step))
    guard fine.likeness > leastLikeness else { return nil }
    return LoopSeam(loop: first..<fine.end, likeness: fine.likeness, fade: fade)
  }

  /// Returns the correlation of the frames before two positions, -1 to 1.
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

  /// Crossfades the end of the loop into the frames before its start.
  package func blend(_ sound: inout [Float]) {
    for frame in 0..<fade {
      let part = (Float(frame) + 0.5) / Float(fade)
      let (old, new) = (loop.upperBound - fade + frame, loop.lowerBound - fade + frame)
      // Correlated signals add up in amplitude, others in power.
      let power = (1 - part) * (1 - part) + part * part + 2 * part * (1 - part) * likeness
      sound[old] = ((1 - part) * sound[old] + part * sound[new]) / rt_square_root(power)
    }
  }
}
