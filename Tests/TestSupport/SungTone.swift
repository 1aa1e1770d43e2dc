internal import Foundation

/// A synthetic voice: harmonics under formants, at a pitch that changes over time.
package struct SungTone {
  /// The peaks of the formants of an open vowel in Hz, with their widths and levels.
  private static let formants = [(700.0, 110.0, 1.0), (1150, 120, 0.6), (2600, 200, 0.2)]

  package let sampleRate: Double

  package init(sampleRate: Double = 48_000) { self.sampleRate = sampleRate }

  /// Returns the voice with the pitch at each time in seconds, in semitones as a MIDI note number.
  package func sound(
    seconds: Double, level: Double = 0.3, pitch: (_ time: Double) -> Double
  ) -> [Float] {
    var phase = 0.0
    return (0..<Int(seconds * sampleRate)).map { frame in
      let hertz = Self.hertz(pitch(Double(frame) / sampleRate))
      phase += hertz / sampleRate
      var sample = 0.0
      var number = 1.0
      while number * hertz < min(5000, 0.45 * sampleRate) {
        let gain = Self.formants.reduce(0.12 / number) { sum, formant in
          let distance = (number * hertz - formant.0) / formant.1
          return sum + formant.2 / (1 + distance * distance)
        }
        sample += gain * sin(2 * .pi * number * phase)
        number += 1
      }
      return Float(level * sample)
    }
  }

  /// The frequency of a MIDI note number in Hz.
  package static func hertz(_ note: Double) -> Double { 440 * pow(2, (note - 69) / 12) }

  /// Measures the pitch of a sound over time: that of its fundamental near a note, in semitones every `step` frames.
  ///
  /// The fundamental is shifted to 0 Hz and filtered with a window of `length` frames; the phase of each result is
  /// compared with the next one. The first is at frame `length / 2`.
  package func pitches(
    of sound: some Collection<Float>, near note: Double, length: Int = 2400, step: Int = 240
  ) -> [Double] {
    let sound = Array(sound)
    let turns = Self.hertz(note) / sampleRate
    let window = (0..<length).map { 0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(length)) }
    func phase(at start: Int) -> Double {
      var (real, imaginary) = (0.0, 0.0)
      for index in 0..<length {
        let angle = 2 * .pi * turns * Double(start + index)
        let sample = window[index] * Double(sound[start + index])
        real += sample * cos(angle)
        imaginary -= sample * sin(angle)
      }
      return atan2(imaginary, real)
    }
    var former: Double?
    var found: [Double] = []
    for start in stride(from: 0, to: sound.count - length, by: step) {
      let next = phase(at: start)
      if let former {
        var change = next - former
        change -= 2 * .pi * (change / (2 * .pi)).rounded()
        let hertz = Self.hertz(note) + change / (2 * .pi) * sampleRate / Double(step)
        found.append(69 + 12 * log2(max(hertz, 1) / 440))
      }
      former = next
    }
    return found
  }
}
