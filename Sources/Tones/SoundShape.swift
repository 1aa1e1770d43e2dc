internal import CRealtime

/// Offline processing of sounds in memory: levels, fades, noise, filters.
package enum SoundShape {
  /// Returns the RMS level of a range of frames.
  package static func level(_ sound: [Float], _ frames: Range<Int>) -> Float {
    let range = frames.clamped(to: sound.indices)
    guard !range.isEmpty else { return 0 }
    var sum: Float = 0
    for frame in range { sum += sound[frame] * sound[frame] }
    return rt_square_root(sum / Float(range.count))
  }

  /// Returns the peak magnitude of a sound.
  package static func peak(_ sound: [Float]) -> Float {
    var peak: Float = 0
    for sample in sound { peak = max(peak, abs(sample)) }
    return peak
  }

  /// Multiplies a sound by a gain.
  package static func scale(_ sound: inout [Float], by factor: Float) {
    for frame in sound.indices { sound[frame] *= factor }
  }

  /// Fades the start in and the end out, over `rise` and `fall` frames.
  package static func fade(_ sound: inout [Float], in rise: Int, out fall: Int) {
    let (rise, fall) = (min(rise, sound.count), min(fall, sound.count))
    for frame in 0..<rise { sound[frame] *= Float(frame) / Float(rise) }
    for frame in 0..<fall { sound[sound.count - 1 - frame] *= Float(frame) / Float(fall) }
  }

  /// Adds noise that decays by 60 dB in `decay` seconds, starting at a frame.
  ///
  /// The noise is low-passed at 12 dB/octave, or high-passed at 6 dB/octave if `takesLowAway`.
  package static func addNoise(
    to sound: inout [Float], seed: UInt64, amplitude: Float, decay: Double, cutoff: Double,
    takesLowAway: Bool = false, at start: Int = 0, rate: Double
  ) {
    var dice = NoiseDice(seed: seed)
    let fall = rt_exp(Float(-6.9078 / (decay * rate)))
    let coefficient = 1 - rt_exp(Float(-2 * Double.pi * cutoff / rate))
    var (level, low, lower) = (amplitude, Float(0), Float(0))
    let last = min(sound.count, start + Int(1.5 * decay * rate))
    guard start < last else { return }
    for frame in start..<last {
      let noise = dice.next() * level
      low += coefficient * (noise - low)
      lower += coefficient * (low - lower)
      sound[frame] += takesLowAway ? noise - low : lower
      level *= fall
    }
  }

  /// Applies a gain and tanh saturation.
  package static func drive(_ sound: inout [Float], by gain: Float) {
    for frame in sound.indices {
      // tanh through exp, with the exponent bounded against overflow.
      let power = rt_exp(2 * max(-20, min(20, gain * sound[frame])))
      sound[frame] = (power - 1) / (power + 1)
    }
  }

  /// Applies a low-pass of 6 dB/octave above a frequency in Hz.
  package static func darken(_ sound: inout [Float], above cutoff: Double, rate: Double) {
    let coefficient = 1 - rt_exp(Float(-2 * Double.pi * cutoff / rate))
    var low: Float = 0
    for frame in sound.indices {
      low += coefficient * (sound[frame] - low)
      sound[frame] = low
    }
  }

  /// Converts 16-bit little-endian integers, optionally extended by low bytes to 24 bits, to
  /// samples of -1...1.
  package static func samples(
    _ bytes: [UInt8], low: [UInt8], frames: Int
  ) -> [Float] {
    precondition(bytes.count >= 2 * frames && (low.isEmpty || low.count >= frames))
    return [Float](unsafeUninitializedCapacity: frames) { output, count in
      bytes.withUnsafeBufferPointer { bytes in
        for frame in 0..<frames {
          let word = UInt16(bytes[2 * frame + 1]) << 8 | UInt16(bytes[2 * frame])
          let number = Int32(Int16(bitPattern: word)) << 8 | (low.isEmpty ? 0 : Int32(low[frame]))
          output[frame] = Float(number) / 8_388_608
        }
      }
      count = frames
    }
  }
}
