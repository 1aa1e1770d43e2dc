import DSP
import Foundation

/// A sound card with a loudspeaker and a microphone in a room, or with a cable.
struct SimulatedCard {
  /// The delay of the converters, in frames.
  var delay = 1234.56
  /// The impulse response after that, at the sample rate; a cable is a single 1.
  var echoes: [(seconds: Double, gain: Double)] = [(0, 1)]
  /// The diffuse tail: its start and its reverberation time in seconds, and its gain.
  var tail: (start: Double, decay: Double, gain: Double)?
  /// The band of the loudspeaker, in Hz.
  var band: ClosedRange<Double>?
  /// The level of the recorded sweep above the noise, in dB; nil without noise.
  var signalToNoise: Double?
  /// The level above which it clips.
  var clip: Double?
  var rate = 48_000.0
  var seed: UInt64 = 1

  /// Plays a signal through it, and returns the recording of the same length.
  func play(_ signal: [Float]) -> [Float] {
    var dice = Dice(seed: seed)
    var response = impulseResponse(&dice)
    if let band {
      filter(&response, cutoff: band.lowerBound, isHigh: true)
      filter(&response, cutoff: band.upperBound, isHigh: false)
    }
    var recording = convolved(signal, response)
    if let signalToNoise { addNoise(to: &recording, decibels: signalToNoise, &dice) }
    if let clip {
      for index in recording.indices {
        recording[index] = min(1, max(-1, recording[index] / Float(clip)))
      }
    }
    return recording
  }

  private func impulseResponse(_ dice: inout Dice) -> [Double] {
    var response = [Double](repeating: 0, count: 32_768)
    for echo in echoes { add(echo.gain, at: delay + echo.seconds * rate, to: &response) }
    if let tail {
      let start = Int(delay + tail.start * rate)
      for frame in start..<max(start, response.count) {
        let seconds = Double(frame - start) / rate
        response[frame] += dice.normal() * tail.gain * exp(-6.91 * seconds / tail.decay)
      }
    }
    return response
  }

  /// Adds a pulse between frames: a windowed sinc.
  private func add(_ gain: Double, at place: Double, to response: inout [Double]) {
    let middle = Int(place.rounded(.down))
    for frame in (middle - 31)...(middle + 32) where response.indices.contains(frame) {
      let distance = Double(frame) - place
      let sinc = abs(distance) < 1e-9 ? 1 : sin(.pi * distance) / (.pi * distance)
      let window = 0.5 + 0.5 * cos(.pi * distance / 32.5)
      response[frame] += gain * sinc * max(0, window)
    }
  }

  /// A Butterworth filter of the second order (Bristow-Johnson's cookbook).
  private func filter(_ sound: inout [Double], cutoff: Double, isHigh: Bool) {
    let angle = 2 * Double.pi * cutoff / rate
    let (alpha, cosine) = (sin(angle) / 2 / 0.7071, cos(angle))
    let edge = (isHigh ? 1 + cosine : 1 - cosine) / 2
    let (b0, b1) = (edge / (1 + alpha), (isHigh ? -2 : 2) * edge / (1 + alpha))
    let (a1, a2) = (-2 * cosine / (1 + alpha), (1 - alpha) / (1 + alpha))
    var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
    for index in sound.indices {
      let x = sound[index]
      let y = b0 * x + b1 * x1 + b0 * x2 - a1 * y1 - a2 * y2
      (x2, x1, y2, y1) = (x1, x, y1, y)
      sound[index] = y
    }
  }

  private func convolved(_ signal: [Float], _ response: [Double]) -> [Float] {
    let size = Int.powerOfTwo(atLeast: signal.count + response.count)
    let fft = RealFFT(size: size)
    let buffers = Buffers()
    let samples = buffers.floats(size)
    func planar() -> Planar { Planar(buffers.floats(fft.bins + 8), buffers.floats(fft.bins + 8)) }
    let (sound, filter) = (planar(), planar())
    for (index, sample) in signal.enumerated() { samples[index] = sample }
    fft.forward(samples, to: sound)
    for index in 0..<size { samples[index] = index < response.count ? Float(response[index]) : 0 }
    fft.forward(samples, to: filter)
    for bin in 0..<fft.bins {
      let real = sound.real[bin] * filter.real[bin] - sound.imaginary[bin] * filter.imaginary[bin]
      sound.imaginary[bin] =
        sound.real[bin] * filter.imaginary[bin] + sound.imaginary[bin] * filter.real[bin]
      sound.real[bin] = real
    }
    fft.inverse(sound, to: samples)
    return (0..<signal.count).map { samples[$0] / Float(size) }
  }

  private func addNoise(to recording: inout [Float], decibels: Double, _ dice: inout Dice) {
    let start = recording.count / 5
    let power =
      recording[start...].reduce(0) { $0 + Double($1 * $1) } / Double(recording.count - start)
    // Half white, half low noise as of ventilation.
    var low = 0.0
    let noise = recording.map { _ in
      low += 0.02 * (dice.normal() - low)
      return dice.normal() + 10 * low
    }
    let own = noise.reduce(0) { $0 + $1 * $1 } / Double(noise.count)
    let gain = (power / own * pow(10, -decibels / 10)).squareRoot()
    for index in recording.indices { recording[index] += Float(gain * noise[index]) }
  }
}
