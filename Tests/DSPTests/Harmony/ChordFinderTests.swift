import DSP
import TestSupport
import Testing

/// The chords of plucked strings.
@Suite struct ChordFinderTests {
  // Open chords and barre shapes of a guitar, from the lowest string.
  private static let open: [(notes: [Int], root: Int, shape: ChordShape)] = [
    ([48, 52, 55, 60, 64], 0, .major), ([50, 57, 62, 66], 2, .major),
    ([40, 47, 52, 56, 59, 64], 4, .major),
    ([43, 47, 50, 55, 59, 67], 7, .major), ([45, 52, 57, 61, 64], 9, .major),
    ([45, 52, 57, 60, 64], 9, .minor), ([40, 47, 52, 55, 59, 64], 4, .minor),
    ([50, 57, 62, 65], 2, .minor),
    ([45, 52, 55, 61, 64], 9, .seventh), ([47, 51, 57, 59, 66], 11, .seventh),
    ([43, 47, 50, 55, 59, 65], 7, .seventh), ([45, 52, 55, 60, 64], 9, .minorSeventh),
    ([48, 52, 55, 59, 64], 0, .majorSeventh), ([50, 57, 60, 65], 2, .minorSeventh),
    ([50, 57, 62, 67], 2, .fourth), ([45, 52, 57, 62, 64], 9, .fourth),
  ]

  /// The chord after some seconds of a sound.
  private func chord(_ sound: [Float], after seconds: Double, rate: Double = 48_000) -> Chord? {
    var finder = ChordFinder(sampleRate: rate)
    finder.process(sound, frames: Int(seconds * rate))
    return finder.chord
  }

  @Test func `open chords of a guitar are found within 100 ms of the last string`() {
    for (notes, root, shape) in Self.open {
      let sound = PluckedChord().sound(notes, seconds: 0.3)
      let found = chord(sound, after: 0.1 + 0.008 * Double(notes.count - 1))
      #expect(
        found == Chord(root: UInt8(root), shape: shape),
        "\(notes): \(found.map { "\($0.root) \($0.shape)" } ?? "none")")
    }
  }

  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `triads and sevenths on all roots are found`(rate: Double) {
    var wrong: [String] = []
    var count = 0
    for root in 0..<12 {
      for shape in ChordShape.allCases {
        // Augmented and diminished seventh chords have three and four roots, fourths are seconds of another.
        let steps = (0..<12).filter { Chord(root: 0, shape: shape).notes >> UInt16($0) & 1 == 1 }
        let notes = steps.map { 45 + (root + 3) % 12 + $0 } + [57 + (root + 3) % 12]
        let sound = PluckedChord(sampleRate: rate).sound(notes, seconds: 0.3)
        // Low thirds are closer than the resolution of the first 150 ms.
        let found = chord(sound, after: 0.25, rate: rate)
        count += 1
        if found?.notes != Chord(root: UInt8(root), shape: shape).notes {
          wrong.append("\(root) \(shape): \(found.map { "\($0.root) \($0.shape)" } ?? "none")")
        }
      }
    }
    #expect(wrong.count <= count / 20, "\(wrong)")
  }

  @Test func `a change of the chord is found within 100 ms, over the old one that decays`() {
    let strings = PluckedChord()
    let first = strings.sound([45, 52, 57, 60, 64], seconds: 1)
    let second = strings.sound([41, 48, 53, 57, 60, 65], seconds: 0.4)
    // The strings are damped by the next chord.
    let sound =
      first
      + zip(second, strings.sound([45, 52, 57, 60, 64], seconds: 1.4)[48_000...]).map {
        $0 + 0.1 * $1
      }
    var finder = ChordFinder(sampleRate: 48_000)
    finder.process(sound, frames: 48_000)
    #expect(finder.chord == Chord(root: 9, shape: .minor))
    Array(sound[48_000...]).withUnsafeBufferPointer {
      finder.process($0.baseAddress!, frames: 4800 + 5 * 384)
    }
    #expect(finder.chord == Chord(root: 5, shape: .major))
  }

  @Test func `single notes and octaves with fifths are no chords, and change nothing`() {
    for notes in [[48], [40], [57], [48, 55, 60], [43, 50, 55]] {
      var finder = ChordFinder(sampleRate: 48_000)
      finder.process(PluckedChord().sound([50, 57, 60, 65], seconds: 0.5), frames: 24_000)
      let former = finder.chord
      #expect(former == Chord(root: 2, shape: .minorSeventh))
      finder.process([Float](repeating: 0, count: 24_000), frames: 24_000)
      finder.process(PluckedChord().sound(notes, seconds: 1, strum: 0.02), frames: 48_000)
      #expect(finder.chord == former, "\(notes)")
    }
  }

  @Test func `a slow strum has hardly any other chord on its way`() {
    var changes = 0
    for (notes, _, _) in Self.open {
      let sound = PluckedChord().sound(notes, seconds: 0.5, strum: 0.02)
      var finder = ChordFinder(sampleRate: 48_000)
      var last: Chord?
      for start in stride(from: 0, to: sound.count, by: 480) {
        Array(sound[start..<start + 480]).withUnsafeBufferPointer {
          finder.process($0.baseAddress!, frames: 480)
        }
        if finder.chord != last { changes += 1 }
        last = finder.chord
      }
    }
    // At most one more than the chord itself: some first strings are a chord of their own.
    #expect(changes <= 2 * Self.open.count, "\(changes) of \(Self.open.count)")
  }

  @Test func `silence and noise change nothing, and a reset forgets`() {
    var finder = ChordFinder(sampleRate: 48_000)
    finder.process([Float](repeating: 0, count: 48_000), frames: 48_000)
    #expect(finder.chord == nil)
    finder.process(PluckedChord().sound([45, 52, 57, 60, 64], seconds: 0.5), frames: 24_000)
    let found = finder.chord
    #expect(found == Chord(root: 9, shape: .minor))
    finder.process([Float](repeating: 0, count: 48_000), frames: 48_000)
    #expect(finder.chord == found)
    finder.reset()
    #expect(finder.chord == nil)
  }

  @Test(arguments: [1, 64, 1000])
  func `the result doesn't depend on the block size`(block: Int) {
    let sound = PluckedChord().sound([45, 52, 57, 61, 64], seconds: 0.3)
    var finder = ChordFinder(sampleRate: 48_000)
    var first = 0
    var changes: [Int] = []
    sound.withUnsafeBufferPointer { sound in
      while first < sound.count {
        let count = min(block, sound.count - first)
        finder.process(sound.baseAddress! + first, frames: count)
        first += count
        if finder.chord != nil && changes.isEmpty { changes.append(first) }
      }
    }
    #expect(finder.chord == Chord(root: 9, shape: .major))
    // Results come every 10 ms.
    #expect(changes.allSatisfy { $0 % 480 < block })
  }
}
