internal import Foundation

/// Test signals.
package enum Tone {
  /// Makes a sine that starts at phase 0.
  package static func sine(
    _ hertz: Double, amplitude: Float = 0.5, frames: Int, sampleRate: Double = 48_000
  ) -> [Float] {
    (0..<frames).map { amplitude * Float(sin(2 * .pi * hertz * Double($0) / sampleRate)) }
  }

  /// Makes a constant signal.
  package static func constant(_ value: Float, frames: Int) -> [Float] {
    Array(repeating: value, count: frames)
  }

  /// Makes white noise, deterministic for each seed.
  package static func noise(amplitude: Float = 0.5, frames: Int, seed: UInt64 = 1) -> [Float] {
    var state = seed
    return (0..<frames).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return amplitude * (Float(state >> 40) / Float(1 << 23) - 1)
    }
  }
}
