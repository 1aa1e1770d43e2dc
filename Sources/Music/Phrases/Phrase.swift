/// Up to ten seconds of notes, each with its time.
package struct Phrase: Hashable, Sendable {
  /// One note from its touch to its release.
  package struct Touch: Hashable, Sendable {
    /// Seconds from the beginning of the phrase to the touch.
    package let time: Double
    /// Seconds from the beginning of the phrase to the release, not before the touch.
    package let release: Double
    /// The MIDI note.
    package let note: Int
    /// The cents by which it is above that.
    package let cents: Double
    /// How hard it was touched: above 0 and up to 1.
    package let velocity: Double
    /// What it is called.
    package let name: String
  }

  /// What happens when a phrase is played.
  package struct Event: Hashable, Sendable {
    /// Seconds from the beginning of the phrase.
    package let time: Double
    /// Whether a note begins, else it ends.
    package let isTouch: Bool
    /// Which touch of the phrase it is of.
    package let touch: Int
  }

  /// The longest phrase in seconds.
  package static let longest = 10.0
  /// The most notes that a phrase can have.
  package static let mostTouches = 4096

  /// The notes in the order of their touches.
  package let touches: [Touch]
  /// How long it is in seconds, from where it was begun to where it was ended.
  package let length: Double

  init(_ touches: [Touch], length: Double) {
    self.touches = touches
    self.length = length
  }

  /// The names of its notes in the order of their touches.
  package var names: [String] { touches.map(\.name) }

  /// Touches and releases in the order of their times.
  ///
  /// At one time, notes end before others begin, so that one that is struck again is heard again; a
  /// note of no length ends after it has begun.
  package var events: [Event] {
    let events = touches.enumerated().flatMap { index, touch in
      [
        Event(time: touch.time, isTouch: true, touch: index),
        Event(time: touch.release, isTouch: false, touch: index),
      ]
    }
    // Each touch stands behind the ends of earlier ones: equal times need only stay as they are.
    return events.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }
}
