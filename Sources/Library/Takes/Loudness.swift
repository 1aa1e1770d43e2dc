package import DSP
internal import Glibc

/// A meter of integrated loudness, after ITU-R BS.1770-4, and of the sample peak.
///
/// The K-weighted power is measured over 400 ms every 100 ms. Blocks below -70 LUFS are gated out,
/// then those more than 10 LU below the mean of the rest.
package struct Loudness: Sendable {
  private static let steps = 4

  private let rate: Int
  private var left: Weighting
  private var right: Weighting
  private var highest: Float = 0
  // The powers of the latest 100 ms steps, and the sum over the current step.
  private var recent: [Double] = []
  private var sum = 0.0
  private var framesLeft: Int
  private var stepCount = 1
  private var blocks: [Double] = []

  /// Creates a meter for a sample rate in Hz.
  package init(rate: Int) {
    self.rate = rate
    left = Weighting(rate: Double(rate))
    right = left
    framesLeft = Self.end(of: 1, rate)
  }

  /// Returns the number of frames up to the end of a step.
  ///
  /// 100 ms are not a whole number of frames at every rate.
  private static func end(of step: Int, _ rate: Int) -> Int { (step * rate + 5) / 10 }

  /// Measures the next frames.
  package mutating func add(_ sound: Stereo, frames: Int) {
    var done = 0
    while done < frames {
      let count = min(frames - done, framesLeft)
      let part = sound.advanced(by: done)
      sum += left.power(part.left, count) + right.power(part.right, count)
      for frame in 0..<count {
        highest = max(highest, max(abs(part.left[frame]), abs(part.right[frame])))
      }
      done += count
      framesLeft -= count
      if framesLeft == 0 { endStep() }
    }
  }

  private mutating func endStep() {
    let frames = Self.end(of: stepCount, rate) - Self.end(of: stepCount - 1, rate)
    recent.append(sum / Double(frames))
    sum = 0
    stepCount += 1
    framesLeft = Self.end(of: stepCount, rate) - Self.end(of: stepCount - 1, rate)
    guard recent.count == Self.steps else { return }
    blocks.append(recent.reduce(0, +) / Double(Self.steps))
    recent.removeFirst()
  }

  /// The sample peak in dBFS, or nil if all samples are zero.
  package var peak: Double? {
    // A file can contain infinity.
    highest > 0 ? 20 * log10(Double(min(highest, .greatestFiniteMagnitude))) : nil
  }

  /// The integrated loudness in LUFS, or nil if no 400 ms block passes the gate.
  package var integrated: Double? {
    guard let loud = Self.mean(blocks, above: Self.power(-70)) else { return nil }
    // The relative gate is never below the absolute one.
    let gate = max(Self.power(-70), loud / 10)
    return Self.mean(blocks, above: gate).map { 10 * log10($0) - 0.691 }
  }

  private static func power(_ loudness: Double) -> Double { pow(10, (loudness + 0.691) / 10) }

  private static func mean(_ powers: [Double], above gate: Double) -> Double? {
    var (sum, count) = (0.0, 0)
    for power in powers where power > gate {
      sum += power
      count += 1
    }
    return count > 0 ? sum / Double(count) : nil
  }
}

/// The K-weighting of one channel: a high shelf for the head, and a high-pass.
///
/// The standard gives coefficients for 48 kHz only. These are the analog prototypes that yield
/// them, transformed to each rate by the bilinear transform.
private struct Weighting: Sendable {
  private var shelf: Section
  private var highpass: Section

  init(rate: Double) {
    // +4 dB above 1.68 kHz.
    let (high, low) = (pow(10, 3.999843853973347 / 20), 1.0)
    let middle = pow(high, 0.4996667741545416)
    shelf = Section(
      hertz: 1681.974450955533, q: 0.7071752369554196, rate: rate, high: high, middle: middle,
      low: low)
    highpass = Section(
      hertz: 38.13547087602444, q: 0.5003270373238773, rate: rate, high: 1, middle: 0, low: 0)
    highpass.keepNumerator()
  }

  /// Returns the sum of the squares of the output.
  mutating func power(_ samples: UnsafePointer<Float>, _ count: Int) -> Double {
    var (shelf, highpass) = (shelf, highpass)
    var sum = 0.0
    for frame in 0..<count {
      let sample = Double(samples[frame])
      let weighted = highpass.process(shelf.process(sample.isFinite ? sample : 0))
      sum += weighted * weighted
    }
    (self.shelf, self.highpass) = (shelf, highpass)
    return sum
  }

  /// A second-order section in transposed direct form II.
  struct Section: Sendable {
    private var b0, b1, b2: Double
    private let a1, a2: Double
    private var (s1, s2) = (0.0, 0.0)

    init(hertz: Double, q: Double, rate: Double, high: Double, middle: Double, low: Double) {
      let k = tan(.pi * hertz / rate)
      let a0 = 1 + k / q + k * k
      b0 = (high + middle * k / q + low * k * k) / a0
      b1 = 2 * (low * k * k - high) / a0
      b2 = (high - middle * k / q + low * k * k) / a0
      a1 = 2 * (k * k - 1) / a0
      a2 = (1 - k / q + k * k) / a0
    }

    /// Sets the high-pass numerator of the standard, which adds a slight gain.
    mutating func keepNumerator() { (b0, b1, b2) = (1, -2, 1) }

    @inline(__always)
    mutating func process(_ sample: Double) -> Double {
      let result = b0 * sample + s1
      s1 = b1 * sample - a1 * result + s2
      s2 = b2 * sample - a2 * result
      return result
    }
  }
}
