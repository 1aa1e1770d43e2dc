internal import Foundation

/// Synthetic plucked strings: harmonics that decay, the higher the faster, slightly sharp as on a guitar.
package struct PluckedChord {
  package let sampleRate: Double

  package init(sampleRate: Double = 48_000) { self.sampleRate = sampleRate }

  /// Returns strings on MIDI notes that are struck one after another, `strum` seconds apart.
  package func sound(
    _ notes: [Int], seconds: Double, level: Double = 0.1, strum: Double = 0.008,
    position: Double = 0.19
  ) -> [Float] {
    var sound = [Double](repeating: 0, count: Int(seconds * sampleRate))
    for (index, note) in notes.enumerated() {
      let hertz = SungTone.hertz(Double(note))
      let start = Int(Double(index) * strum * sampleRate)
      for number in 1...16 {
        let stretched = Double(number) * hertz * (1 + 0.000_05 * Double(number * number))
        // A string that is plucked at this share of its length, under a pickup without its own color.
        let gain = level * sin(.pi * position * Double(number)) / Double(number)
        let decay = 1.2 + 0.35 * Double(number)
        guard stretched < 0.45 * sampleRate else { break }
        for frame in start..<sound.count {
          let time = Double(frame - start) / sampleRate
          let attack = min(1, time / 0.002)
          sound[frame] +=
            gain * attack * exp(-decay * time)
            * sin(2 * .pi * stretched * time + Double(index + number))
        }
      }
    }
    return sound.map(Float.init)
  }
}
