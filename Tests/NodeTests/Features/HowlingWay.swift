import Foundation
import Howl

/// A feedback path with a delay of ten milliseconds and a resonance at 1 kHz: all other modes of
/// the loop are at least 3 dB weaker.
final class HowlingWay: @unchecked Sendable {
  private static let frames = 480
  private static let size = 4096
  // The noise from which feedback starts.
  private static let hiss: Float = 0.001

  private let lock = NSLock()
  private var line = [Float](repeating: 0, count: HowlingWay.size)
  private var (first, second) = (Float(0), Float(0))
  private var chance = Chance(1)
  // Center frequency over bandwidth: five.
  private let tangent = Float(tan(Double.pi * 1000 / 48_000))

  /// The microphone signal in a frame.
  func sample(_ frame: UInt32) -> Float {
    lock.withLock {
      let place = Int(frame) % Self.size
      let sample = line[place] + Self.hiss * Float(chance.noise())
      // A block missed by an xrun is silent one loop later.
      line[place] = 0
      return sample
    }
  }

  /// Records the loudspeaker's output.
  func hear(_ frame: UInt32, _ samples: UnsafeBufferPointer<Float>) {
    let share = 1 / (1 + tangent * (tangent + 0.2))
    lock.withLock {
      for (index, sample) in samples.enumerated() {
        let middle = share * (first + tangent * (sample - second))
        let low = second + tangent * middle
        first = 2 * middle - first
        second = 2 * low - second
        line[(Int(frame) + index + Self.frames) % Self.size] = 0.2 * middle
      }
    }
  }
}
