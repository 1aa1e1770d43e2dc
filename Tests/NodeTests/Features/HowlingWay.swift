import Foundation
import Howl

/// Ten milliseconds of way from the loudspeaker to the microphone, and a resonance at 1 kHz: no
/// other way round is as loud within 3 dB.
final class HowlingWay: @unchecked Sendable {
  private static let frames = 480
  private static let size = 4096
  // Of the quiet sound by which all howls begin.
  private static let hiss: Float = 0.001

  private let lock = NSLock()
  private var line = [Float](repeating: 0, count: HowlingWay.size)
  private var (first, second) = (Float(0), Float(0))
  private var chance = Chance(1)
  // Keeps the frequency over the width: five.
  private let tangent = Float(tan(Double.pi * 1000 / 48_000))

  /// What the microphone hears in a frame.
  func sample(_ frame: UInt32) -> Float {
    lock.withLock {
      let place = Int(frame) % Self.size
      let sample = line[place] + Self.hiss * Float(chance.noise())
      // What a lost block did not bring is silent a round later.
      line[place] = 0
      return sample
    }
  }

  /// Takes in what the loudspeaker plays.
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
