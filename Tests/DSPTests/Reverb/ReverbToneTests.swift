import CRealtime
import DSP
import Foundation
import TestSupport
import Testing

/// The sound of a reverb, measured from its impulse response.
@Suite struct ReverbToneTests {
  private static let twoSeconds = ReverbResponse(decay: 2, seconds: 1.7)

  @Test(arguments: [0.8, 2])
  func `mid frequencies decay in the set time`(decay: Double) {
    let response = decay == 2 ? Self.twoSeconds : ReverbResponse(decay: decay, seconds: 0.8)
    for hertz in [125.0, 250, 500, 1000, 2000] {
      let measured = response.decay(around: hertz)
      #expect(abs(measured / decay - 1) < 0.03, "\(measured) s around \(hertz) Hz")
    }
  }

  @Test func `at the damping frequency the decay time is half`() {
    // An octave around 8 kHz spans decays from 1.7 s down to 0.7 s, of which the longer ones
    // dominate.
    let measured = Self.twoSeconds.decay(around: 8000)
    #expect(measured > 0.9 && measured < 1.4, "\(measured) s")
  }

  @Test(arguments: [44_100.0, 96_000])
  func `the decay time is the same at other sample rates`(rate: Double) {
    let response = ReverbResponse(decay: 0.8, seconds: 0.7, sampleRate: rate)
    for hertz in [250.0, 1000] {
      // Line lengths are rounded differently at each sample rate, which shifts the modes; a band
      // holds few of them.
      #expect(abs(response.decay(around: hertz) / 0.8 - 1) < 0.05)
    }
  }

  @Test func `it is as dense as noise 20 ms after its onset`() {
    for side in [Self.twoSeconds.left, Self.twoSeconds.right] {
      let density = ReverbResponse.echoDensity(Array(side[Self.twoSeconds.onset...]))
      let begun = density.firstIndex { $0 > 0.9 }
      // Windows of 20 ms in steps of 1 ms: the one after 10 ms has its center at 20 ms.
      #expect(begun != nil && begun! <= 10, "\(String(describing: begun)) ms")
      // And it stays dense.
      #expect(density[(begun ?? 0)..<250].min()! > 0.75)
    }
  }

  @Test func `the onset comes within 5 ms`() {
    #expect(Double(Self.twoSeconds.onset) / 48_000 < 0.005)
  }

  @Test func `the tail has no pitch of its own`() {
    for side in [Self.twoSeconds.left, Self.twoSeconds.right] {
      // Noise has 5.57 dB; zita-rev1 has 6.2 to 7.3 by the same measure.
      let deviation = Self.twoSeconds.spectralDeviation(side)
      #expect(deviation < 6, "\(deviation) dB")
    }
  }

  @Test func `the smallest room's tail has little pitch of its own`() {
    let response = ReverbResponse(decay: 2, seconds: 1.7, size: 0)
    for side in [response.left, response.right] {
      // Short lines have sparse modes; with half the length it was 7.8 dB.
      let deviation = response.spectralDeviation(side)
      #expect(deviation < 7.1, "\(deviation) dB")
    }
  }

  @Test func `the largest room has no gap after its onset`() {
    let response = ReverbResponse(decay: 2, seconds: 0.4, size: 1)
    for side in [response.left, response.right] {
      let density = ReverbResponse.echoDensity(Array(side[response.onset...]))
      // As for the medium size; with separate early echoes it drops to a third.
      #expect(density[10..<250].min()! > 0.7, "\(density[10..<250].min()!)")
    }
  }

  @Test func `the tail has no rhythm of its own`() {
    for side in [Self.twoSeconds.left, Self.twoSeconds.right] {
      let correlation = Self.twoSeconds.selfCorrelation(side)
      #expect(correlation < 0.12, "\(correlation)")
    }
  }

  @Test func `a mono source gives uncorrelated channels of equal level`() {
    var (both, left, right) = (0.0, 0.0, 0.0)
    for frame in (Self.twoSeconds.onset + 24_000)..<(Self.twoSeconds.onset + 72_000) {
      let (l, r) = (Double(Self.twoSeconds.left[frame]), Double(Self.twoSeconds.right[frame]))
      both += l * r
      left += l * l
      right += r * r
    }
    #expect(abs(both / sqrt(left * right)) < 0.1)
    #expect(abs(10 * log10(left / right)) < 1)
  }

  @Test func `a source on the left starts mostly on the left`() {
    let response = ReverbResponse(decay: 2, seconds: 0.06, right: 0)
    let left = response.left.reduce(0) { $0 + $1 * $1 }
    let right = response.right.reduce(0) { $0 + $1 * $1 }
    #expect(left > 1.25 * right && left < 4 * right, "\(left / right)")
  }
}

/// The impulse response of a reverb and its measurements.
private struct ReverbResponse {
  let left: [Float]
  let right: [Float]
  /// The first frame within 60 dB of the peak.
  let onset: Int
  let sampleRate: Double
  private let decay: Double

  init(
    decay: Double, seconds: Double, size: Float = 0.5, sampleRate: Double = 48_000,
    right: Float = 1
  ) {
    rt_flush_denormals()
    self.decay = decay
    self.sampleRate = sampleRate
    var reverb = Reverb(sampleRate: Float(sampleRate))
    reverb.setDecay(seconds: Float(decay))
    reverb.setSize(size)
    reverb.setMix(1)
    reverb.setOn(true)
    reverb.settle()
    let lead = Int(sampleRate / 50)  // The input has faded in.
    let frames = lead + Int(seconds * sampleRate)
    var (l, r) = (Tone.constant(0, frames: frames), Tone.constant(0, frames: frames))
    l[lead] = 1
    r[lead] = right
    inBlocks(of: 1024, &l, &r) {
      _ = reverb.process($0.sound, frames: $0.frames, isSilent: false)
    }
    left = Array(l[lead...])
    self.right = Array(r[lead...])
    let least = max(Measure.peak(left), Measure.peak(self.right)) / 1000
    onset =
      zip(left, self.right).enumerated().first {
        max(abs($0.element.0), abs($0.element.1)) > least
      }!.offset
  }

  /// The decay time in the octave around a frequency, averaged over both channels: Schroeder's
  /// backward integral from -5 to -35 dB, extrapolated to 60 dB.
  func decay(around hertz: Double) -> Double {
    [left, right].map { side in
      var sound = side[onset...].map(Double.init)
      for q in [0.541_196, 1.306_563] {  // Butterworth of fourth order
        Self.filter(&sound, hertz: hertz * sqrt(0.5), q: q, isHigh: true, sampleRate: sampleRate)
        Self.filter(&sound, hertz: hertz * sqrt(2), q: q, isHigh: false, sampleRate: sampleRate)
      }
      var left = [Double](repeating: 0, count: sound.count)
      var sum = 0.0
      for index in sound.indices.reversed() {
        sum += sound[index] * sound[index]
        left[index] = sum
      }
      // A least-squares line through every 16th value.
      var (n, st, sd, stt, std) = (0.0, 0.0, 0.0, 0.0, 0.0)
      for index in stride(from: 0, to: left.count, by: 16) {
        let level = 10 * log10(left[index] / sum)
        if level > -5 { continue }
        if level < -35 { break }
        let time = Double(index) / sampleRate
        n += 1
        st += time
        sd += level
        stt += time * time
        std += time * level
      }
      return -60 * (n * stt - st * st) / (n * std - st * sd)
    }.reduce(0, +) / 2
  }

  private static func filter(
    _ sound: inout [Double], hertz: Double, q: Double, isHigh: Bool, sampleRate: Double
  ) {
    let angle = 2 * .pi * min(hertz / sampleRate, 0.49)
    let (alpha, cosine) = (sin(angle) / (2 * q), cos(angle))
    let side = (isHigh ? 1 + cosine : 1 - cosine) / 2 / (1 + alpha)
    let (b0, b1) = (side, isHigh ? -2 * side : 2 * side)
    let (a1, a2) = (-2 * cosine / (1 + alpha), (1 - alpha) / (1 + alpha))
    var (s1, s2) = (0.0, 0.0)
    sound.withUnsafeMutableBufferPointer { sound in
      for index in 0..<sound.count {
        let x = sound[index]
        let y = b0 * x + s1
        s1 = b1 * x - a1 * y + s2
        s2 = b0 * x - a2 * y
        sound[index] = y
      }
    }
  }

  /// The normalized echo density of Abel & Huang (AES 121, 2006): the share of samples beyond the
  /// standard deviation in a Hann window of 20 ms, each millisecond, relative to noise.
  static func echoDensity(_ sound: [Float]) -> [Double] {
    let window = (0..<960).map { 0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / 960) }
    return (0..<260).map { step in
      let part = sound[(step * 48)..<(step * 48 + 960)].map(Double.init)
      var (power, beyond) = (0.0, 0.0)
      for (sample, weight) in zip(part, window) { power += sample * sample * weight }
      power /= 480
      for (sample, weight) in zip(part, window) where sample * sample > power { beyond += weight }
      return beyond / 480 / erfc(1 / 2.0.squareRoot())
    }
  }

  /// 0.5 s to 1.5 s after the onset, with the decay compensated.
  private func tail(_ side: [Float]) -> [Double] {
    var gain = 1.0
    let step = pow(10, 3 / 48_000 / decay)
    return side[(onset + 24_000)..<(onset + 72_000)].map {
      gain *= step
      return Double($0) * gain
    }
  }

  /// The standard deviation of the tail's spectrum from 200 Hz to 8 kHz in dB, after removing
  /// variations wider than 500 Hz.
  func spectralDeviation(_ side: [Float]) -> Double {
    let spectrum = Spectrum(
      tail(side).enumerated().map {
        $0.element * (1 - cos(2 * .pi * Double($0.offset) / 48_000))
      }, size: 65_536)
    let levels = spectrum.power.map { 10 * log10($0 + 1e-30) }
    let (smooth, bins) = (Spectrum.mean(levels, width: 683), 273...10_922)
    let residue = bins.map { levels[$0] - smooth[$0] }
    let mean = residue.reduce(0, +) / Double(residue.count)
    return sqrt(residue.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(residue.count))
  }

  /// The highest autocorrelation of the tail at lags of 5 to 200 ms, from 200 Hz to 8 kHz, whitened
  /// over 500 Hz.
  func selfCorrelation(_ side: [Float]) -> Double {
    let power = Spectrum(tail(side), size: 65_536).power
    let smooth = Spectrum.mean(power, width: 683)
    var white = [Double](repeating: 0, count: 65_536)
    for bin in 273...10_922 {
      white[bin] = power[bin] / smooth[bin]
      white[65_536 - bin] = white[bin]
    }
    // The transform of a power spectrum is the autocorrelation. 17 536 zeros after the tail
    // separate lags up to 0.36 s.
    let correlation = Spectrum(white, size: 65_536).real
    return correlation[240..<9600].map { abs($0) }.max()! / correlation[0]
  }
}

/// The Fourier transform of a real signal.
private struct Spectrum {
  private(set) var real: [Double]
  private var imaginary: [Double]

  var power: [Double] { zip(real, imaginary).map { $0 * $0 + $1 * $1 } }

  /// Transforms values, zero-padded to `size`, a power of two.
  init(_ values: [Double], size: Int) {
    real = [Double](repeating: 0, count: size)
    imaginary = real
    let bits = size.trailingZeroBitCount
    for index in values.indices {
      var (place, rest) = (0, index)
      for _ in 0..<bits {
        place = place << 1 | rest & 1
        rest >>= 1
      }
      real[place] = values[index]
    }
    real.withUnsafeMutableBufferPointer { realBuffer in
      imaginary.withUnsafeMutableBufferPointer { imaginaryBuffer in
        let (real, imaginary) = (realBuffer.baseAddress!, imaginaryBuffer.baseAddress!)
        var half = 1
        while half < size {
          for offset in 0..<half {
            let angle = -.pi * Double(offset) / Double(half)
            let (c, s) = (cos(angle), sin(angle))
            var low = offset
            while low < size {
              let high = low &+ half
              let (a, b) = (real[high], imaginary[high])
              let (x, y) = (a * c - b * s, a * s + b * c)
              let (p, q) = (real[low], imaginary[low])
              real[high] = p - x
              imaginary[high] = q - y
              real[low] = p + x
              imaginary[low] = q + y
              low = high &+ half
            }
          }
          half *= 2
        }
      }
    }
  }

  /// A moving average of `width` values.
  static func mean(_ values: [Double], width: Int) -> [Double] {
    var sums = [0.0]
    for value in values { sums.append(sums.last! + value) }
    return values.indices.map {
      let (low, high) = (max(0, $0 - width / 2), min(values.count, $0 + width / 2 + 1))
      return (sums[high] - sums[low]) / Double(high - low)
    }
  }
}
