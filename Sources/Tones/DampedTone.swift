internal import CRealtime

/// An exponentially decaying sine: a mode of a string, bar or bell.
package struct DampedTone: Sendable {
  /// The frequency, in Hz.
  package var hertz: Double
  /// The initial amplitude.
  package var amplitude: Double
  /// The decay time (RT60), in seconds.
  package var decay: Double
  /// The start phase in cycles: 0 is a sine, 0.25 a cosine.
  package var phase: Double

  /// Creates a tone from a frequency in Hz and a decay time in seconds.
  package init(hertz: Double, amplitude: Double, decay: Double, phase: Double = 0) {
    self.hertz = hertz
    self.amplitude = amplitude
    self.decay = decay
    self.phase = phase
  }

  // 60 dB in nepers.
  private static let sixtyDecibels = 6.907755278982137
  // Amplitude below which a tone is masked by the others.
  private static let silence = 3e-5

  /// Returns the number of frames for which the tone is audible.
  private func frames(rate: Double) -> Int {
    guard amplitude > Self.silence else { return 0 }
    let nepers = -Double(rt_log(Float(Self.silence / amplitude)))
    return Int(nepers / Self.sixtyDecibels * decay * rate)
  }

  /// Adds tones to a sound with a sample rate in Hz, except for those near or above the Nyquist
  /// frequency.
  package static func add(_ tones: [DampedTone], to sound: inout [Float], rate: Double) {
    let heard = tones.filter { $0.hertz > 0 && $0.hertz < 0.48 * rate && $0.decay > 0 }
      .map { (tone: $0, frames: min(sound.count, $0.frames(rate: rate))) }
      .sorted { $0.frames > $1.frames }
    sound.withUnsafeMutableBufferPointer { sound in
      for first in stride(from: 0, to: heard.count, by: 8) {
        var state = (re: SIMD8<Float>(repeating: 0), im: SIMD8<Float>(repeating: 0))
        var step = state
        for lane in 0..<min(8, heard.count - first) {
          let tone = heard[first + lane].tone
          let (start, angle) = (2 * Double.pi * tone.phase, 2 * Double.pi * tone.hertz / rate)
          // Two terms of the exponential series, accurate to a ten-thousandth of a dB per second.
          let loss = sixtyDecibels / (tone.decay * rate)
          let factor = 1 - loss + loss * loss / 2
          state.re[lane] = Float(tone.amplitude * rt_cos(start))
          state.im[lane] = Float(tone.amplitude * rt_sin(start))
          step.re[lane] = Float(factor * rt_cos(angle))
          step.im[lane] = Float(factor * rt_sin(angle))
        }
        for frame in 0..<heard[first].frames {
          sound[frame] += state.im.sum()
          let re = state.re * step.re - state.im * step.im
          state.im = state.re * step.im + state.im * step.re
          state.re = re
        }
      }
    }
  }
}
