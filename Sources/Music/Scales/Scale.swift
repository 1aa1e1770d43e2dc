/// A scale: ascending steps above a root, within one period.
package struct Scale: Hashable, Sendable {
  /// The name used to select the scale.
  package let name: String
  /// The steps above the root, ascending from 0; semitones if the period is 12.
  package let steps: [Int]
  /// The number of steps per period: 12, except for scales of other tunings.
  package let period: Int
  /// The letter of each note relative to the root's, if defined.
  let letters: [Int]?

  /// The default scale: chromatic.
  package static let initial = Scale.shipped.last!.scale

  /// Creates a scale for a tuning of `period` notes, from steps above the root.
  ///
  /// The root may be omitted, and the octave must be.
  package init(name: String, steps: [Int], period: Int = 12) throws(MusicFault) {
    try Tuning.check(count: period)
    guard let first = steps.first else {
      throw MusicFault(.range, "expected at least one note, in semitones above the root")
    }
    let steps = first == 0 ? steps : [0] + steps
    for (index, step) in steps.enumerated() {
      guard 0..<period ~= step else {
        throw MusicFault(
          .range,
          "expected notes from 0 to \(period - 1) semitones above the root; got \(step)")
      }
      guard index == 0 || step > steps[index - 1] else {
        throw MusicFault(
          .range, "expected ascending notes; got \(step) after \(steps[index - 1])")
      }
    }
    self.init(
      name, steps, period: period, letters: steps.count == 7 && period == 12 ? Array(0..<7) : nil)
  }

  /// Returns the scale of all notes of a tuning with `period` notes.
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

  /// Whether the scale has a minor third and is spelled like a minor key.
  var isMinor: Bool { steps.contains(3) && !steps.contains(4) }
}
