/// Records a phrase, from its beginning until it is ended or ten seconds are over.
///
/// Times are seconds on one clock, whichever it is; one that is before the last is taken as the last.
package struct PhraseRecorder: Sendable {
  private struct Held {
    let touch: Int
    let note: Int
    let cents: Double

    func isOf(_ note: Int, _ cents: Double?) -> Bool {
      self.note == note && (cents == nil || self.cents == cents)
    }
  }

  private let start: Double
  private var latest = 0.0
  private var touches: [Phrase.Touch] = []
  private var held: [Held] = []

  /// Begins a phrase.
  package init(at time: Double) { start = time }

  /// The seconds that are recorded at a time, ten at the most.
  package func seconds(at time: Double) -> Double {
    // Not a number is no later, either.
    let seconds = time - start
    return min(seconds > latest ? seconds : latest, Phrase.longest)
  }

  /// Whether nothing more can be recorded at a time.
  package func isOver(at time: Double) -> Bool { seconds(at: time) >= Phrase.longest }

  /// How many notes there are already.
  package var count: Int { touches.count }

  /// Begins a note, and ends it before where it sounds already; false where nothing more fits in.
  ///
  /// A velocity of 0 or below ends the note.
  @discardableResult
  package mutating func touch(
    _ note: Int, name: String, velocity: Double = 1, cents: Double = 0, at time: Double
  ) -> Bool {
    release(note, cents: cents, at: time)
    guard velocity > 0 else { return true }
    guard !isOver(at: time), touches.count < Phrase.mostTouches else { return false }
    held.append(Held(touch: touches.count, note: note, cents: cents))
    touches.append(
      Phrase.Touch(
        time: latest, release: Phrase.longest, note: note, cents: cents, velocity: min(velocity, 1),
        name: name))
    return true
  }

  /// Ends a note; one that does not sound is left out.
  ///
  /// In a tuning of many notes several have one MIDI note: without their cents, all of those end.
  package mutating func release(_ note: Int, cents: Double? = nil, at time: Double) {
    latest = seconds(at: time)
    for held in held where held.isOf(note, cents) { end(held.touch) }
    held.removeAll { $0.isOf(note, cents) }
  }

  /// Ends the phrase, and with it what still sounds.
  package consuming func ended(at time: Double) -> Phrase {
    latest = seconds(at: time)
    for held in held { end(held.touch) }
    return Phrase(touches, length: latest)
  }

  private mutating func end(_ index: Int) {
    let touch = touches[index]
    touches[index] = Phrase.Touch(
      time: touch.time, release: latest, note: touch.note, cents: touch.cents,
      velocity: touch.velocity, name: touch.name)
  }
}
