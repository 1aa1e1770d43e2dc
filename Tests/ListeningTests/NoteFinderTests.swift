import Foundation
import Listening
import TestSupport
import Testing

/// Transcription of melodies with known notes.
@Suite struct NoteFinderTests {
  private static let rate = 48_000.0

  /// The timbre of a synthetic note.
  enum Timbre: String, CaseIterable {
    case flute, reed, string, voice
  }

  /// A note to be synthesized.
  private struct Wanted {
    var start: Double
    var length: Double
    var cents: Double
  }

  /// Synthesizes a melody with an attack and a release for each note.
  private func play(
    _ notes: [Wanted], _ timbre: Timbre, vibrato: Double = 0, noise: Float = 0
  ) -> [Float] {
    let frames = Int((notes.map { $0.start + $0.length }.max()! + 0.3) * Self.rate)
    var sound =
      noise > 0 ? Tone.noise(amplitude: noise, frames: frames) : Array(repeating: 0, count: frames)
    for note in notes {
      let hertz = 440 * exp2((note.cents - 6900) / 1200)
      var phase = 0.0
      let count = Int(note.length * Self.rate)
      for frame in 0..<count {
        let time = Double(frame) / Self.rate
        phase += 2 * .pi * hertz * exp2(vibrato * sin(2 * .pi * 5.5 * time) / 1200) / Self.rate
        let left = note.length - time
        let edge = min(1, time / 0.01) * min(1, left / 0.02)
        let level =
          timbre == .string ? min(1, time / 0.002) * min(1, left / 0.02) * exp(-3 * time) : edge
        var sample = 0.0
        for partial in 1...12 where Double(partial) * hertz < 20_000 {
          sample +=
            amplitude(timbre, partial, hertz)
            * sin(Double(partial) * phase + Double(partial * partial))
        }
        sound[Int(note.start * Self.rate) + frame] += Float(0.15 * level * sample)
      }
    }
    return sound
  }

  private func amplitude(_ timbre: Timbre, _ partial: Int, _ hertz: Double) -> Double {
    switch timbre {
    case .flute: [1, 0.3, 0.05][safe: partial - 1] ?? 0
    case .reed: partial % 2 == 1 ? 1 / Double(partial) : 0.02
    case .string: 1 / Double(partial)
    // A vowel: the first partial is weak compared with the formants at 600 and 1100 Hz.
    case .voice:
      0.1 + exp(-pow((Double(partial) * hertz - 600) / 150, 2))
        + 0.6 * exp(-pow((Double(partial) * hertz - 1100) / 200, 2))
    }
  }

  // A melody with leaps, steps and a repeated note, ending in legato notes.
  private var melody: [Wanted] {
    var notes: [Wanted] = []
    var time = 0.2
    for key in [57, 60, 64, 65, 65, 69, 53, 72, 71] {
      notes.append(Wanted(start: time, length: 0.3, cents: 100 * Double(key)))
      time += 0.4
    }
    for key in [60, 62, 63, 67] {
      notes.append(Wanted(start: time, length: 0.25, cents: 100 * Double(key)))
      time += 0.25
    }
    return notes
  }

  private func expect(
    _ found: [PlayedNote], _ wanted: [Wanted], cents: Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let names = (
      found.map { Int(($0.cents / 100).rounded()) }, wanted.map { Int(($0.cents / 100).rounded()) }
    )
    #expect(names.0 == names.1, sourceLocation: sourceLocation)
    guard found.count == wanted.count else { return }
    for (found, wanted) in zip(found, wanted) {
      // 20 ms are imperceptible as a timing error; the lowest notes complete less than a cycle in
      // that time.
      let swing = 1 / (440 * exp2((wanted.cents - 6900) / 1200))
      #expect(
        abs(found.start - wanted.start) < max(0.02, swing), sourceLocation: sourceLocation)
      #expect(abs(found.cents - wanted.cents) < cents, sourceLocation: sourceLocation)
      // The detected end is where the note has decayed, or where the window still overlaps it.
      #expect(abs(found.end - wanted.start - wanted.length) < 0.06, sourceLocation: sourceLocation)
    }
  }

  @Test("A melody is transcribed note by note in any timbre", arguments: Timbre.allCases)
  func melody(_ timbre: Timbre) {
    // A steady pitch is nearly exact; the documented accuracy is five cents.
    expect(NoteFinder.notes(in: play(melody, timbre), rate: Self.rate), melody, cents: 5)
  }

  @Test("Vibrato adds no notes", arguments: Timbre.allCases)
  func vibrato(_ timbre: Timbre) {
    // The window doesn't hold whole cycles of the vibrato.
    expect(
      NoteFinder.notes(in: play(melody, timbre, vibrato: 40), rate: Self.rate), melody, cents: 25)
  }

  @Test("Noise at -20 dB adds no notes", arguments: Timbre.allCases)
  func noise(_ timbre: Timbre) {
    expect(
      NoteFinder.notes(in: play(melody, timbre, noise: 0.02), rate: Self.rate), melody, cents: 10)
  }

  @Test("A note repeated without a gap counts as a new note", arguments: Timbre.allCases)
  func again(_ timbre: Timbre) {
    let wanted = (0..<4).map { Wanted(start: 0.2 + 0.25 * Double($0), length: 0.25, cents: 6400) }
    expect(NoteFinder.notes(in: play(wanted, timbre), rate: Self.rate), wanted, cents: 5)
  }

  @Test(
    "Low and high notes keep their octaves",
    arguments: [2800.0, 3340, 4025, 5010, 7990, 9600, 10_230])
  func range(cents: Double) {
    for timbre in Timbre.allCases where timbre != .voice || cents < 8000 {
      let wanted = [Wanted(start: 0.1, length: 0.8, cents: cents)]
      expect(NoteFinder.notes(in: play(wanted, timbre), rate: Self.rate), wanted, cents: 5)
    }
  }

  @Test("Noise, silence and very short input have no notes")
  func nothing() {
    #expect(NoteFinder.notes(in: [], rate: Self.rate).isEmpty)
    #expect(NoteFinder.notes(in: [0.1], rate: Self.rate).isEmpty)
    #expect(NoteFinder.notes(in: Tone.constant(0, frames: 48_000), rate: Self.rate).isEmpty)
    #expect(NoteFinder.notes(in: Tone.constant(0.5, frames: 48_000), rate: Self.rate).isEmpty)
    #expect(NoteFinder.notes(in: Tone.noise(frames: 96_000), rate: Self.rate).isEmpty)
    #expect(NoteFinder.notes(in: [Float](repeating: .nan, count: 20_000), rate: Self.rate).isEmpty)
  }

  @Test("Other rates give the same notes", arguments: [22_050.0, 44_100, 96_000])
  func rates(rate: Double) {
    let sound = Tone.sine(330, amplitude: 0.4, frames: Int(rate), sampleRate: rate)
    let notes = NoteFinder.notes(in: sound, rate: rate)
    #expect(notes.count == 1)
    #expect(abs((notes.first?.cents ?? 0) - 6900 - 1200 * log2(330.0 / 440)) < 2)
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
