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
  private let buffers = Buffers()
  private let samples: UnsafeMutablePointer<Float>
  private let spectrum: Planar
  private let correlation: UnsafeMutablePointer<Float>
  private var likeness: [Float]

  /// Creates a detector for a sample rate in Hz, with a window of at least `seconds`.
  init(rate: Double, seconds: Double = 0.035, preference: Float = 0.88) {
    window = .powerOfTwo(atLeast: max(256, Int((seconds * rate).rounded(.up))))
    self.preference = preference
    shortest = max(6, Int(rate / 5000))
    longest = window * 5 / 8
    fft = RealFFT(size: 2 * window)
    samples = buffers.floats(2 * window)
    spectrum = Planar(buffers.floats(fft.bins + 8), buffers.floats(fft.bins + 8))
    correlation = buffers.floats(2 * window)
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
      likeness[lag] = both > 1e-6 * power ? 2 * correlation[lag] / both : 0
    }
    return choose()
  }

  /// Computes the autocorrelation at each lag.
  private func correlate() {
    rt_zero(samples + window, window)
    fft.forward(samples, to: spectrum)
    let scale = 1 / Float(fft.size)
    for bin in 0..<fft.bins {
      let (real, imaginary) = (spectrum.real[bin], spectrum.imaginary[bin])
      spectrum.real[bin] = (real * real + imaginary * imaginary) * scale
      spectrum.imaginary[bin] = 0
    }
    fft.inverse(spectrum, to: correlation)
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
