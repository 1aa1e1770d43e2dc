internal import DSP
internal import Glibc

/// The test signal of a round trip measurement: an exponential sine sweep.
///
/// From Angelo Farina, "Simultaneous measurement of impulse response and distortion with a swept-sine
/// technique" (2000): harmonic distortion arrives before the linear response, where a circular response has
/// its end.
package struct Sweep: Sendable {
  // The lowest frequency in Hz, and the highest in Hz and as a share of the sample rate.
  private static let lowest = 60.0
  private static let highest = 20_000.0
  private static let highestShare = 0.45
  // The share of a segment that sounds.
  private static let soundingShare = 0.65
  // The fades, as shares of the sounding part.
  private static let fadeIn = 0.08
  private static let fadeOut = 0.01

  /// The sample rate, in Hz.
  package let rate: Double
  /// The frames of a segment: the sweep, and the silence in which its response ends.
  package let frames: Int
  /// The longest round trip that can be measured, in frames.
  package let longest: Int
  /// The segment, at a peak of 1.
  package let samples: [Float]
  let band: ClosedRange<Double>

  /// Creates a sweep for a sample rate in Hz.
  package init(rate: Double) {
    self.rate = rate
    frames = .powerOfTwo(atLeast: max(4096, Int(1.2 * rate)))
    longest = frames * 3 / 8
    band = Self.lowest...min(Self.highest, Self.highestShare * rate)
    let length = Int(Self.soundingShare * Double(frames))
    let ratio = log(band.upperBound / band.lowerBound)
    let scale = 2 * Double.pi * band.lowerBound / rate * Double(length) / ratio
    var samples = [Float](repeating: 0, count: frames)
    for frame in 0..<length {
      let position = Double(frame) / Double(length)
      let phase = scale * (exp(position * ratio) - 1)
      samples[frame] = Float(sin(phase) * Self.fade(position))
    }
    self.samples = samples
  }

  private static func fade(_ position: Double) -> Double {
    func half(_ share: Double) -> Double {
      share >= 1 ? 1 : 0.5 - 0.5 * cos(.pi * max(0, share))
    }
    return half(position / fadeIn) * half((1 - position) / fadeOut)
  }
}
