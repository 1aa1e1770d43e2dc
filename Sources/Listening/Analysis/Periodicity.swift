internal import CRealtime
internal import DSP

/// An offline pitch detector: the normalized square difference function.
///
/// From Philip McLeod and Geoff Wyvill, "A Smarter Way to Find Pitch" (2005).
final class Periodicity {
  /// A period and its clarity.
  struct Finding {
    /// The period in frames; 0 if the signal is aperiodic.
    var period = 0.0
    /// The height of the correlation peak, up to 1.
    var clarity: Float = 0
  }

  // Mean power that counts as silence: -90 dBFS.
  private static let silence: Float = 1e-9

  /// The analysis window, in frames.
  let window: Int
  private let shortest: Int
  private let longest: Int
  // The first maximum above this share of the highest one is the period: real sounds often
  // correlate better after two periods than after one.
  private let preference: Float
  private let fft: RealFFT
  private var samples: [Float]
  private var real: [Float]
  private var imaginary: [Float]
  private var likeness: [Float]

  /// Creates a detector for a sample rate in Hz, with a window of at least `seconds`.
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

  /// Returns the period around a frame.
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
    // The energy of both compared ranges, which shrink with the lag.
    var both = 2 * power
    likeness[0] = 1
    for lag in 1...longest + 1 {
      let (first, last) = (samples[lag - 1], samples[window - lag])
      both -= first * first + last * last
      likeness[lag] = both > 1e-6 * power ? 2 * real[lag] / both : 0
    }
    return choose()
  }

  /// Computes the autocorrelation at each lag into `real`.
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
    // The inverse transform needs its own buffer; then the result replaces the spectrum.
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

  /// Chooses the first high maximum, with one candidate per region above zero.
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

  /// Refines the period to a fraction of a frame: peaks at multiples of it give more precision, as
  /// long as the signal stays the same.
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
      // Rejects a peak that isn't the next multiple.
      guard abs(next - period) < 0.5 / Double(count - 1) else { return period }
      period = next
      count += 1
    }
  }

  /// Returns the height of a maximum, by parabolic interpolation.
  private func height(_ lag: Int) -> Float {
    let (before, at, after) = (likeness[lag - 1], likeness[lag], likeness[lag + 1])
    let bend = before - 2 * at + after
    guard bend < 0 else { return at }
    return at - (before - after) * (before - after) / (8 * bend)
  }

  /// Returns the position of a maximum, by parabolic interpolation.
  private func summit(_ lag: Int) -> Double {
    let (before, at, after) = (
      Double(likeness[lag - 1]), Double(likeness[lag]), Double(likeness[lag + 1])
    )
    let bend = before - 2 * at + after
    guard bend < 0 else { return Double(lag) }
    return Double(lag) + max(-0.5, min(0.5, 0.5 * (before - after) / bend))
  }
}
