import DSP
import Foundation
import TestSupport
import Testing

/// The decisions of the pitch correction.
@Suite struct PitchCorrectorTests {
  private let seconds: Float = 128 / 48_000

  /// Corrects pitches toward targets in semitones, and returns the shift after each.
  private func shifts(
    _ pitches: [Float?], toward targets: [Float], inAllOctaves: Bool = false,
    _ change: (inout PitchCorrector) -> Void = { _ in }
  ) -> (shifts: [Float], targets: [Float?]) {
    var corrector = PitchCorrector()
    corrector.speed = 0
    change(&corrector)
    return targets.map { $0 * 100 }.withUnsafeBufferPointer { cents in
      let targets = PitchTargets(
        cents: cents.baseAddress!, count: cents.count, inAllOctaves: inAllOctaves)
      var found: (shifts: [Float], targets: [Float?]) = ([], [])
      for pitch in pitches {
        if let pitch {
          corrector.correct(pitch, measured: pitch, toward: targets, seconds: seconds)
        } else {
          corrector.rest(seconds: seconds)
        }
        found.shifts.append(corrector.shift)
        found.targets.append(corrector.target)
      }
      return found
    }
  }

  private func steady(_ pitch: Float, _ count: Int = 40) -> [Float?] {
    Array(repeating: pitch, count: count)
  }

  @Test func `it shifts to the nearest target, by the share that is asked for`() {
    for (pitch, shift): (Float, Float) in [(60.3, -0.3), (61.2, 0.8), (61.9, 0.1), (70, -6)] {
      let found = shifts(steady(pitch), toward: [60, 62, 64])
      #expect(abs(found.shifts.last! - shift) < 1e-4, "\(pitch)")
      let half = shifts(steady(pitch), toward: [60, 62, 64]) { $0.amount = 0.5 }
      #expect(abs(half.shifts.last! - shift / 2) < 1e-4, "\(pitch)")
    }
  }

  @Test func `between two targets it doesn't flicker`() {
    let pitches = (0..<400).map { index -> Float? in 60.5 + 0.08 * sin(Float(index)) }
    let targets = shifts(pitches, toward: [60, 61]).targets
    #expect(Set(targets.compactMap { $0 }).count == 1)
  }

  @Test(arguments: [Float(60.05), 60.3, 60.4])
  func `a wide vibrato stays on its note, also a sharp one`(middle: Float) {
    // ±45 cents, six times per second: past the middle for half of each swing. The first swing may choose the other note.
    let pitches = (0..<400).map { index -> Float? in
      middle + 0.45 * sin(2 * .pi * 6 * Float(index) * seconds)
    }
    let targets = shifts(pitches, toward: (48...72).map { Float($0) }).targets
    #expect(targets.suffix(280).allSatisfy { $0 == 60 })
  }

  @Test func `a leap is followed at once, and a slide at its middle`() {
    let leap = shifts(steady(60.1) + steady(64.2), toward: [60, 62, 64]).targets
    #expect(leap[39] == 60 && leap[40] == 64)
    let slide = (0..<200).map { index -> Float? in 60 + 2 * Float(index) / 200 }
    let middle = shifts(slide, toward: [60, 62]).targets.firstIndex(of: 62)
    // 10 cents past the middle, 12 ms later, and the mean of 80 ms is 30 cents behind.
    #expect((112...150).contains(middle ?? 0), "\(middle ?? 0)")
  }

  @Test func `vibrato is kept around the target if asked`() {
    let pitches = (0..<800).map { index -> Float? in
      60.3 + 0.3 * sin(2 * .pi * 6 * Float(index) * seconds)
    }
    for (share, least, most): (Float, Float, Float) in [(0, 0, 0.001), (1, 0.25, 0.35)] {
      let found = shifts(pitches, toward: (0...127).map { Float($0) }) { $0.vibrato = share }
      let heard = zip(pitches, found.shifts).map { $0! + $1 }.suffix(400)
      let swing = (heard.max()! - heard.min()!) / 2
      #expect((least...most).contains(swing), "\(share): \(swing)")
      #expect(abs((heard.max()! + heard.min()!) / 2 - 60) < 0.05)
    }
  }

  @Test func `the shift is held through a consonant, and ends in a pause`() {
    let found = shifts(
      steady(60.3) + Array(repeating: nil, count: 40) + steady(60.3), toward: [60])
    #expect(found.shifts.suffix(41).allSatisfy { abs($0 + 0.3) < 1e-4 })
    let pause = shifts(steady(60.3) + Array(repeating: nil, count: 400), toward: [60])
    #expect(pause.shifts.last == 0 && pause.targets.last == .some(nil))
  }

  @Test func `speed is the time constant of the correction`() {
    // 37.5 rounds are 0.1 s.
    let found = shifts(steady(60.4, 80), toward: [60]) { $0.speed = 0.1 }
    #expect(abs(found.shifts[37] + 0.4 * (1 - exp(-1))) < 0.01)
  }

  @Test func `held notes are targets in every octave, and without any there is no shift`() {
    let found = shifts(steady(60.3), toward: [36, 43], inAllOctaves: true)
    #expect(abs(found.shifts.last! + 0.3) < 1e-4)
    let other = shifts(steady(79.8), toward: [36, 43], inAllOctaves: true)
    #expect(abs(other.shifts.last! + 0.8) < 1e-4)
    #expect(shifts(steady(60.3), toward: []).shifts.allSatisfy { $0 == 0 })
  }

  @Test func `pitches that are no numbers are no targets`() {
    let found = shifts(steady(60.3), toward: [.nan, 60, .infinity])
    #expect(abs(found.shifts.last! + 0.3) < 1e-4)
  }
}
