/// A scale: the steps above a root, up to where they begin again.
package struct Scale: Hashable, Sendable {
  /// The name by which the scale is chosen.
  package let name: String
  /// Steps above the root, rising from 0; semitones where the octave has twelve.
  package let steps: [Int]
  /// The number of steps after which the scale begins again: 12, but for scales of other tunings.
  package let period: Int
  /// The letters of the notes, counted from the root's, where that is settled.
  let letters: [Int]?

  /// The default scale: chromatic.
  package static let initial = Scale.shipped.last!.scale

  /// Creates a scale of semitones above the root.
  ///
  /// The root can be left out, and the octave is.
  package init(name: String, semitones: [Int]) throws(MusicFault) {
    try self.init(name: name, steps: semitones, period: 12)
  }

  /// Creates a scale in a tuning that has some notes to a period.
  package init(name: String, steps: [Int], period: Int) throws(MusicFault) {
    try Tuning.check(count: period)
    guard let first = steps.first else {
      throw MusicFault(.range, "a scale has at least one note, given in semitones above its root")
    }
    let steps = first == 0 ? steps : [0] + steps
    for (index, step) in steps.enumerated() {
      guard 0..<period ~= step else {
        throw MusicFault(
          .range,
          "the notes of a scale are 0 to \(period - 1) semitones above its root; got \(step)")
      }
      guard index == 0 || step > steps[index - 1] else {
        throw MusicFault(
          .range, "the notes of a scale rise; got \(step) after \(steps[index - 1])")
      }
    }
    self.init(
      name, steps, period: period, letters: steps.count == 7 && period == 12 ? Array(0..<7) : nil)
  }

  /// Creates the scale of all notes of a tuning that has some notes to a period.
  package static func all(of period: Int) throws(MusicFault) -> Scale {
    guard period != 12 else { return initial }
    try Tuning.check(count: period)
    return try Scale(name: "all", steps: Array(0..<period), period: period)
  }

  init(_ name: String, _ steps: [Int], period: Int = 12, letters: [Int]?) {
    self.name = name
    self.steps = steps
    self.period = period
    self.letters = letters
  }

  /// Whether the scale has a minor third, so that it is spelled as a minor key is.
  var isMinor: Bool { steps.contains(3) && !steps.contains(4) }
}
