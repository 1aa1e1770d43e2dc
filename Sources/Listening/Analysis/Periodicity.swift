internal import CRealtime
internal import DSP

/// How like itself a sound is after a while, and after which: its period, found with all of the
/// sound at hand.
///
/// The normalised square difference of Philip McLeod and Geoff Wyvill, "A Smarter Way to Find
/// Pitch" (2005).
final class Periodicity {
  /// A period, and how sure it is.
  struct Finding {
    /// The period, in frames; 0 where there is none.
    var period = 0.0
    /// Up to 1.
    var clarity: Float = 0
  }

  // What is as silent as that, -90 dBFS, is no sound.
  private static let silence: Float = 1e-9

  /// The frames that are compared.
  let window: Int
  private let shortest: Int
  private let longest: Int
  // As much as that below the best maximum, an earlier one is the period: real sounds are most
  // like themselves after two periods as often as after one.
  private let preference: Float
  private let fft: RealFFT
  private var samples: [Float]
  private var real: [Float]
  private var imaginary: [Float]
  private var likeness: [Float]

  /// For sounds of a rate in Hz, compared over at least so many seconds.
  init(rate: Double, seconds: Double = 0.035, preference: Float = 0.88) {
    var window = 256
    while Double(window) < seconds * rate { window *= 2 }
    self.window = window
    self.preference = preference
    shortest = max(6, Int(rate / 5000))
    longest = window * 5 / 8
    fft = RealFFT(size: 2 * window)
    samples = [Float](repeating: 0, count: 2 * window)
    real = [Float](repeating: 0, count: fft.bins + 8)
    imaginary = real
    likeness = [Float](repeating: 0, count: longest + 2)
  }

  /// The period around a frame.
  func find(in sound: [Float], around center: Int) -> Finding {
    let start = center - window / 2
    var (sum, power) = (Float(0), Float(0))
    for index in 0..<window {
      let frame = start + index
      let sample = sound.indices.contains(frame) ? sound[frame] : 0
      samples[index] = sample
      sum += sample
    }
    let mean = sum / Float(window)
    for index in 0..<window {
      samples[index] -= mean
      power += samples[index] * samples[index]
    }
    guard power > Self.silence * Float(window), power < 1e30 else { return Finding() }
    correlate()
    // What both ends hold of what is compared, less with each lag.
    var both = 2 * power
    likeness[0] = 1
    for lag in 1...longest + 1 {
      let (first, last) = (samples[lag - 1], samples[window - lag])
      both -= first * first + last * last
      likeness[lag] = both > 1e-6 * power ? 2 * real[lag] / both : 0
    }
    return choose()
  }

  /// Leaves the correlation at each lag in `real`.
  private func correlate() {
    for index in window..<2 * window { samples[index] = 0 }
    let bins = fft.bins
    let scale = 1 / Float(fft.size)
    samples.withUnsafeMutableBufferPointer { samples in
      real.withUnsafeMutableBufferPointer { real in
        imaginary.withUnsafeMutableBufferPointer { imaginary in
          let spectrum = Planar(real.baseAddress!, imaginary.baseAddress!)
          fft.forward(samples.baseAddress!, to: spectrum)
          for bin in 0..<bins {
            real[bin] = (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]) * scale
            imaginary[bin] = 0
          }
        }
      }
    }
    // The correlation takes the place of the spectrum, by way of the second half of the samples.
    let result = [Float](unsafeUninitializedCapacity: fft.size) { output, count in
      real.withUnsafeMutableBufferPointer { real in
        imaginary.withUnsafeMutableBufferPointer { imaginary in
          fft.inverse(
            Planar(real.baseAddress!, imaginary.baseAddress!), to: output.baseAddress!)
        }
      }
      count = fft.size
    }
    for lag in 0...longest + 1 { real[lag] = result[lag] }
  }

  /// The first of the high maxima, one for each hill above zero.
  private func choose() -> Finding {
    var tops: [Int] = []
    var lag = 1
    while lag < longest, likeness[lag] > 0 { lag += 1 }
    var top = 0
    while lag <= longest {
      if likeness[lag] > 0 {
        if lag >= shortest, likeness[lag] >= likeness[lag - 1], likeness[lag] > likeness[lag + 1],
          top == 0 || likeness[lag] > likeness[top]
        {
          top = lag
        }
      } else if top > 0 {
        tops.append(top)
        top = 0
      }
      lag += 1
    }
    if top > 0 { tops.append(top) }
    guard let best = tops.map(height).max(),
      let chosen = tops.first(where: { height($0) >= preference * best })
    else { return Finding() }
    return Finding(period: refined(chosen), clarity: min(1, likeness[chosen]))
  }

  /// The period to a part of a frame: the further away the period that it is measured by, the
  /// better, for as long as the sound does not change.
  private func refined(_ lag: Int) -> Double {
    let first = summit(lag)
    var period = first
    var count = 2
    while true {
      let place = Int((Double(count) * period).rounded())
      guard place < longest - 2 else { return period }
      var top = place
      for near in max(1, place - 2)...place + 2 where likeness[near] > likeness[top] { top = near }
      guard likeness[top] > 0.97 * likeness[lag] else { return period }
      let next = summit(top) / Double(count)
      // Not another hill.
      guard abs(next - period) < 0.5 / Double(count - 1) else { return period }
      period = next
      count += 1
    }
  }

  /// How high a maximum is between frames: that of the parabola through three.
  private func height(_ lag: Int) -> Float {
    let (before, at, after) = (likeness[lag - 1], likeness[lag], likeness[lag + 1])
    let bend = before - 2 * at + after
    guard bend < 0 else { return at }
    return at - (before - after) * (before - after) / (8 * bend)
  }

  /// Where between frames a maximum lies: that of the parabola through three.
  private func summit(_ lag: Int) -> Double {
    let (before, at, after) = (
      Double(likeness[lag - 1]), Double(likeness[lag]), Double(likeness[lag + 1])
    )
    let bend = before - 2 * at + after
    guard bend < 0 else { return Double(lag) }
    return Double(lag) + max(-0.5, min(0.5, 0.5 * (before - after) / bend))
  }
}
