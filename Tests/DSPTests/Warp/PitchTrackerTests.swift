import DSP
import Foundation
import TestSupport
import Testing

/// A synthetic sung vowel with a known pitch: pulses through three formants.
struct Vowel {
  /// The formants of an open vowel: frequency and bandwidth, in Hz.
  static let open = [(730.0, 60.0), (1090, 70), (2440, 110)]
  /// The formants of a closed vowel.
  static let closed = [(310.0, 45.0), (870, 60), (2250, 110)]

  var samples: [Float]

  /// Creates a vowel with `pitch` in Hz as a function of time in seconds.
  init(
    seconds: Double, sampleRate: Double = 48_000, formants: [(Double, Double)] = open,
    pitch: (Double) -> Double
  ) {
    var sound = [Double](repeating: 0, count: Int(seconds * sampleRate))
    var phase = 0.5
    for index in sound.indices {
      let step = pitch(Double(index) / sampleRate) / sampleRate
      phase += step
      // A pulse between two samples is distributed over both.
      if phase >= 1 {
        phase -= 1
        let late = phase / step
        sound[index] += 1 - late
        if index > 0 { sound[index - 1] += late }
      }
    }
    // The spectral slope of glottal pulses, and the formants.
    let filters =
      [(0.0, 150.0), (0.0, 900.0)].map { resonator($0.0, $0.1) }
      + formants.map { resonator($0.0, $0.1) }
    func resonator(_ hertz: Double, _ width: Double) -> (Double, Double) {
      let radius = exp(-Double.pi * width / sampleRate)
      return (2 * radius * cos(2 * .pi * hertz / sampleRate), -radius * radius)
    }
    for (first, second) in filters {
      var (a, b) = (0.0, 0.0)
      for index in sound.indices {
        let value = sound[index] * (1 - first - second) + first * a + second * b
        (a, b) = (value, a)
        sound[index] = value
      }
    }
    // Removes DC.
    var (last, value) = (0.0, 0.0)
    for index in sound.indices {
      value = 0.995 * (value + sound[index] - last)
      last = sound[index]
      sound[index] = value
    }
    let peak = sound.map(abs).max()!
    samples = sound.map { Float(0.5 * $0 / peak) }
  }

  /// Returns the vowel with white noise, `decibels` below it.
  func withNoise(_ decibels: Double) -> [Float] {
    let power = samples.reduce(0) { $0 + Double($1 * $1) } / Double(samples.count)
    let amplitude = Float((3 * power).squareRoot() * pow(10, -decibels / 20))
    return zip(samples, Tone.noise(amplitude: amplitude, frames: samples.count)).map(+)
  }
}

@Suite struct PitchTrackerTests {
  /// The pitch after each slot in Hz, or 0 if unvoiced.
  private func pitches(
    _ left: [Float], _ right: [Float]? = nil, sampleRate: Double = 48_000
  ) -> [(frame: Int, hertz: Double)] {
    var tape = Tape(seconds: 1, reach: 512, sampleRate: sampleRate)
    var tracker = PitchTracker(sampleRate: sampleRate)
    tracker.start(at: 0)
    var left = left
    var right = right ?? left
    var found = [(frame: Int, hertz: Double)]()
    inBlocks(of: tracker.slotFrames, &left, &right) {
      // The rest at the end is shorter than a slot.
      guard $0.frames == tracker.slotFrames else { return }
      tape.write($0.sound, frames: $0.frames)
      tracker.advance(tape, to: tape.head - 1)
      found.append(
        ($0.start + $0.frames, tracker.isVoiced ? sampleRate / Double(tracker.period) : 0))
    }
    return found
  }

  /// The number of results after 60 ms that are off by more than 5 %.
  private func misses(
    _ found: [(frame: Int, hertz: Double)], from first: Int = 2880, pitch: (Double) -> Double
  ) -> Int {
    found.count { result in
      // The window ends at the position; the result reflects about 17 ms earlier.
      let due = pitch(Double(result.frame) / 48_000 - 0.017)
      return result.frame >= first && abs(result.hertz / due - 1) > 0.05
    }
  }

  @Test(arguments: [65.0, 82, 110, 147, 220, 330, 523, 700, 900])
  func `tracks a vowel from bass to soprano`(hertz: Double) {
    // Singers raise a formant that would lie below the pitch.
    let formants = Vowel.closed.map { (max($0.0, 1.05 * hertz), $0.1) }
    let found = pitches(Vowel(seconds: 0.3, formants: formants) { _ in hertz }.samples)
    #expect(misses(found) { _ in hertz } == 0)
    // On the decimated copy, a lag of 13 samples is accurate to a few thousandths.
    #expect(abs(found.last!.hertz / hertz - 1) < 0.005)
  }

  @Test(arguments: [8000.0, 44_100, 96_000, 192_000])
  func `tracks the pitch at other sample rates`(sampleRate: Double) {
    let vowel = Vowel(seconds: 0.15, sampleRate: sampleRate) { _ in 170 }
    #expect(abs(pitches(vowel.samples, sampleRate: sampleRate).last!.hertz - 170) < 1)
  }

  @Test(arguments: [0, 1])
  func `tracks vibrato in noise without jumps`(formants: Int) {
    let pitch = { (time: Double) -> Double in 140 * pow(2, 0.04 * sin(2 * .pi * 5.5 * time)) }
    let vowel = Vowel(
      seconds: 0.8, formants: formants == 0 ? Vowel.open : Vowel.closed, pitch: pitch)
    #expect(misses(pitches(vowel.withNoise(20)), pitch: pitch) == 0)
  }

  @Test func `tracks a glide over an octave`() {
    let pitch = { (time: Double) -> Double in 110 * pow(2, max(0, min(1, (time - 0.1) / 0.4))) }
    // During the glide, the age of the window amounts to a few percent.
    let found = pitches(Vowel(seconds: 0.6, pitch: pitch).samples)
    #expect(misses(found, pitch: pitch) == 0)
  }

  @Test func `noise is unvoiced`() {
    let found = pitches(Tone.noise(frames: 48_000))
    // Occasional chance correlations are rejected when marks are placed, on the full band.
    #expect(Double(found.count { $0.hertz > 0 }) < 0.1 * Double(found.count))
  }

  @Test func `silence and constants are unvoiced`() {
    #expect(pitches(Tone.constant(0, frames: 9600)).allSatisfy { $0.hertz == 0 })
    // The initial step has left the window after 36 ms.
    let constant = pitches(Tone.constant(0.5, frames: 9600))
    #expect(constant.allSatisfy { $0.frame < 2400 || $0.hertz == 0 })
  }

  @Test func `tracks a voice in antiphase channels`() {
    let vowel = Vowel(seconds: 0.3) { _ in 150 }.samples
    let found = pitches(vowel, vowel.map { -$0 })
    #expect(misses(found, from: 4800) { _ in 150 } == 0)
  }

  @Test func `detects a voice within 30 ms of its onset`() {
    let vowel = Vowel(seconds: 0.2) { _ in 120 }.samples
    let found = pitches(Tone.constant(0, frames: 4800) + vowel)
    let first = found.first { abs($0.hertz / 120 - 1) < 0.05 }!.frame
    // The first pulse comes half a period late; two more make a period.
    #expect(first < 4800 + 200 + 1440)
  }

  @Test func `recovers from non-finite input`() {
    var sound = Vowel(seconds: 0.4) { _ in 120 }.samples
    sound[4800] = .nan
    sound[4900] = .infinity
    sound[5000] = 3e38
    #expect(misses(pitches(sound), from: 9600) { _ in 120 } == 0)
  }
}
