internal import DSP
internal import Foundation

/// A simulated stage: the acoustic path from a loudspeaker to a microphone.
///
/// Direct sound, early reflections, a decaying tail of sparse pulses, and the frequency response of
/// loudspeaker and microphone: 120 Hz to 9 kHz, with four resonances. It is linear, and apart from
/// the response a tapped delay line.
package final class HowlRoom {
  private struct Biquad {
    var b0 = 1.0, b1 = 0.0, b2 = 0.0, a1 = 0.0, a2 = 0.0
    var first = 0.0, second = 0.0

    mutating func process(_ input: Double) -> Double {
      let output = b0 * input + first
      first = b1 * input - a1 * output + second
      second = b2 * input - a2 * output
      return output
    }

    /// A peaking filter.
    static func peak(_ hertz: Double, _ decibels: Double, _ quality: Double) -> Biquad {
      let angle = 2 * Double.pi * hertz / 48_000
      let (root, alpha) = (pow(10, decibels / 40), sin(angle) / 2 / quality)
      let a0 = 1 + alpha / root
      return Biquad(
        b0: (1 + alpha * root) / a0, b1: -2 * cos(angle) / a0, b2: (1 - alpha * root) / a0,
        a1: -2 * cos(angle) / a0, a2: (1 - alpha / root) / a0)
    }

    /// A low cut or high cut of 12 dB per octave.
    static func edge(_ hertz: Double, isLow: Bool) -> Biquad {
      let angle = 2 * Double.pi * hertz / 48_000
      let alpha = sin(angle) / 2 / 0.7071
      let a0 = 1 + alpha
      let side = isLow ? (1 + cos(angle)) / 2 : (1 - cos(angle)) / 2
      return Biquad(
        b0: side / a0, b1: (isLow ? -2 : 2) * side / a0, b2: side / a0, a1: -2 * cos(angle) / a0,
        a2: (1 - alpha) / a0)
    }
  }

  /// The latency of sound card and server, in frames.
  package let delay: Int
  /// The gain at which feedback starts, linear.
  package private(set) var limit = 1.0
  /// The frequency of the first feedback, in Hz.
  package private(set) var limitHertz = 0.0

  private var taps: [(frames: Int, gain: Float)] = [(0, 1)]
  private var colour: [Biquad]
  private var line: [Float]
  private var written = 0
  private static let reach = 19_200

  /// Creates a room from a seed, with early reflections of strength `early`, and a tail with a
  /// level relative to the direct sound and a decay time to -60 dB, in seconds.
  package init(seed: Int, delay: Int, early: Double = 1, tail: Double = 0.5, seconds: Double = 0.4)
  {
    var chance = Chance(seed)
    self.delay = delay
    for _ in 0..<14 {
      let late = chance.number(0.001...0.03)
      let gain = chance.one(of: [-1, 1]) * chance.number(0.2...0.6) * early * exp(-20 * late)
      taps.append((Int(late * 48_000), Float(gain)))
    }
    var pulses: [(Int, Double)] = []
    var power = 0.0
    var frame = 480.0
    while frame < Double(Self.reach) - 64 {
      let gain = chance.one(of: [-1, 1]) * exp(-6.91 * frame / 48_000 / seconds)
      pulses.append((Int(frame), gain))
      power += gain * gain
      frame += chance.number(10...80)
    }
    taps += pulses.map { ($0.0, Float($0.1 * tail / power.squareRoot())) }
    let shift = chance.number(0.85...1.18)
    colour = [
      .edge(120, isLow: true), .edge(9000, isLow: false), .peak(310 * shift, 4, 4),
      .peak(870 * shift, 4, 5), .peak(2600 * shift, 5, 3), .peak(4100 * shift, 3, 4),
    ]
    line = [Float](repeating: 0, count: 2 * (Self.reach + delay + 4096))
    findLimit()
  }

  private func findLimit() {
    let size = 65_536
    var response = [Float](repeating: 0, count: size)
    var silence = [Float](repeating: 0, count: 64)
    silence[0] = 1
    for start in stride(from: 0, to: Self.reach + delay, by: 64) {
      let heard = pass(silence)
      silence[0] = 0
      for (index, sample) in heard.enumerated() { response[start + index] = sample }
    }
    line = line.map { _ in 0 }
    for index in colour.indices { (colour[index].first, colour[index].second) = (0, 0) }
    let fft = RealFFT(size: size)
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * fft.bins + 16)
    defer { memory.deallocate() }
    let spectrum = Planar(memory, memory + fft.bins + 8)
    response.withUnsafeBufferPointer { fft.forward($0.baseAddress!, to: spectrum) }
    var most = 0.0
    // Feedback occurs where the loop's phase shift is a whole number of periods and its gain
    // suffices.
    for bin in 100..<(fft.bins - 1) where spectrum.real[bin] > 0 {
      guard spectrum.imaginary[bin] * spectrum.imaginary[bin + 1] <= 0 else { continue }
      let gain = hypot(Double(spectrum.real[bin]), Double(spectrum.imaginary[bin]))
      if gain > most {
        most = gain
        limitHertz = Double(bin) * 48_000 / Double(size)
      }
    }
    limit = 1 / most
  }

  /// Returns the microphone's next samples for the loudspeaker's, in blocks of at most 64 frames.
  package func pass(_ sound: [Float]) -> [Float] {
    let frames = sound.count
    let half = line.count / 2
    let place = written % half
    for (index, sample) in sound.enumerated() {
      var value = Double(sample)
      for filter in colour.indices { value = colour[filter].process(value) }
      let at = (place + index) % half
      line[at] = Float(value)
      line[at + half] = Float(value)
    }
    written += frames
    var heard = [Float](repeating: 0, count: frames)
    line.withUnsafeBufferPointer { line in
      heard.withUnsafeMutableBufferPointer { heard in
        for tap in taps {
          let start = (place - tap.frames - delay + 2 * half) % half
          Blocks.add(
            line.baseAddress! + start, times: tap.gain, to: heard.baseAddress!, frames: frames)
        }
      }
    }
    return heard
  }
}
