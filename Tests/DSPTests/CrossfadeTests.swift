import DSP
import Foundation
import Testing

@Suite struct CrossfadeTests {
  @Test func `the gentle curve rises from exactly 0 to exactly 1, symmetrically`() {
    let steps = (0...1000).map { Crossfade.gentle(Float($0) / 1000) }
    #expect(steps.first == 0)
    #expect(steps.last == 1)
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 <= $1 })
    // A few units of the last place at 1.
    #expect(zip(steps, steps.reversed()).allSatisfy { abs($0 + $1 - 1) < 5e-7 })
  }

  @Test func `a tone that fades in within a millisecond stays below -80 dB above 6 kHz`() {
    // -89 dB at its peak; the sum over all frequencies is an upper bound of that, and a few dB more.
    #expect(Self.brightness { Crossfade.gentle($0) } < -80)
    // The bound tells the curves apart.
    #expect(Self.brightness { Crossfade.eased($0) } > -70)
  }

  /// Returns an upper bound of the peak level above 6 kHz of a tone of 301 Hz that fades in along a curve
  /// within 48 frames at 48 kHz, in dB relative to the tone.
  private static func brightness(_ curve: (Float) -> Float) -> Double {
    let (count, start) = (4096, 512)
    let sound = (0..<count).map { frame in
      let share = Float(max(0, min(frame - start, 48))) / 48
      // The end fades out so slowly that it adds nothing.
      let end = max(0, Double(frame - 1024) / Double(count - 1024))
      let tone = cos(2 * Double.pi * 301 * Double(frame - start) / 48_000)
      return Double(curve(share)) * tone * (0.5 + 0.5 * cos(Double.pi * end))
    }
    var sum = 0.0
    for bin in count / 8...count / 2 {
      let turn = 2 * Double.pi * Double(bin) / Double(count)
      var (real, imaginary) = (0.0, 0.0)
      for (frame, sample) in sound.enumerated() {
        real += sample * cos(turn * Double(frame))
        imaginary += sample * sin(turn * Double(frame))
      }
      sum += (real * real + imaginary * imaginary).squareRoot() * 2 / Double(count)
    }
    return 20 * log10(sum)
  }
}
