/// A tuning: the frequency of each note.
package struct Tuning: Hashable, Sendable {
  /// The maximum number of notes per period.
  package static let mostNotes = 1024

  /// The cents above the first note, which isn't included; the last is the period.
  package let cents: [Double]
  /// The MIDI note on which the tuning starts.
  package let base: Int
  /// The MIDI note whose frequency is given.
  package let reference: Int
  /// The frequency of the reference, in Hz.
  package let referenceHz: Double

  // The cents of the reference above the base.
  private let referenceCents: Double

  /// Twelve-tone equal temperament with A4 at 440 Hz.
  package static let equal = try! Tuning(cents: (1...12).map { Double($0) * 100 })

  /// Creates a tuning from cents above the base, of which the last is the period, and a reference
  /// note with its frequency in Hz.
  package init(
    cents: [Double], base: Int = 60, reference: Int = 69, referenceHz: Double = 440
  ) throws(MusicFault) {
    try Self.check(count: cents.count)
    if let cents = cents.first(where: { !$0.isFinite }) {
      throw MusicFault(.range, "expected finite cents; got \(cents)")
    }
    guard let period = cents.last, period > 0 else {
      throw MusicFault(
        .range,
        "expected a period above 0 as the last note; got \(cents.last ?? 0) cents")
    }
    for note in [base, reference] where !(0...127 ~= note) {
      throw MusicFault(.range, "expected a MIDI note from 0 to 127; got \(note)")
    }
    guard 1...20_000 ~= referenceHz else {
      throw MusicFault(.range, "expected a reference from 1 to 20000 Hz; got \(referenceHz)")
    }
    self.cents = cents
    self.base = base
    self.reference = reference
    self.referenceHz = referenceHz
    referenceCents = Self.cents(cents, above: reference - base)
    for note in 0...127 {
      let hz = frequency(of: note)
      guard hz.isNormal, hz > 0 else {
        throw MusicFault(.range, "note \(note) has no valid frequency in this tuning: \(hz) Hz")
      }
    }
  }

  /// Checks the number of notes per period.
  static func check(count: Int) throws(MusicFault) {
    guard 1...mostNotes ~= count else {
      throw MusicFault(.range, "expected 1 to \(mostNotes) notes; got \(count)")
    }
  }

  /// The number of notes per period.
  package var count: Int { cents.count }

  /// Returns the frequency of a note in Hz.
  ///
  /// Notes beyond 0 and 127 continue the tuning.
  package func frequency(of note: Int) -> Double {
    referenceHz * Cents.ratio(Self.cents(cents, above: note - base) - referenceCents)
  }

  /// Returns the tuning on another base, at the frequency that twelve-tone equal temperament from
  /// the reference gives it.
  package func moved(to base: Int) throws(MusicFault) -> Tuning {
    try Tuning(
      cents: cents, base: base, reference: base,
      referenceHz: referenceHz * Cents.ratio(Double(base - reference) * 100))
  }

  private static func cents(_ cents: [Double], above steps: Int) -> Double {
    let degree = steps.remainder(of: cents.count)
    let periods = Double((steps - degree) / cents.count)
    return periods * cents[cents.count - 1] + (degree == 0 ? 0 : cents[degree - 1])
  }
}
