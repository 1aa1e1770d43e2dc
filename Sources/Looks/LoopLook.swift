/// The look of a loop in one of its states: word, icon, color, and the button that it lights.
///
/// The page, the layouts and `syrinx watch` take it from here. The queued state, also of an end that
/// waits, has the same look and blinks.
package struct LoopLook: Sendable {
  /// The color of a state, distinct also to color-blind eyes.
  package enum Tone: String, CaseIterable, Sendable {
    case record, overdub, replace, play

    /// Red, green and blue, a byte each.
    package var rgb: UInt32 {
      switch self {
      case .record: 0xFF4D3D
      case .overdub: 0xFFB000
      case .replace: 0xD58CFF
      case .play: 0x00C2A0
      }
    }
  }

  /// The state's name, as in `/loop/1/state`.
  package let state: String
  /// The word that is shown.
  package let word: String
  /// The letter where there is no room for the word.
  package let letter: Character
  /// The name of the icon.
  package let icon: String
  /// The button that is lit, by the last part of its address; nil for none.
  package let button: String?
  /// The color; nil if the loop is silent and still.
  package let tone: Tone?
  /// Whether the color fills the loop's button, or only marks it.
  package let isFilled: Bool
  /// Whether the playhead moves through the loop.
  package let isRunning: Bool

  private init(
    _ state: String, _ word: String, _ letter: Character, _ icon: String, _ button: String?,
    _ tone: Tone? = nil, isFilled: Bool? = nil, isRunning: Bool = false
  ) {
    self.state = state
    self.word = word
    self.letter = letter
    self.icon = icon
    self.button = button
    self.tone = tone
    self.isFilled = isFilled ?? (tone != nil)
    self.isRunning = isRunning
  }

  /// The looks of all states, in the engine's order.
  package static let all = [
    LoopLook("empty", "Empty", ".", "plus", nil),
    LoopLook("recording", "Rec", "R", "record", "record", .record),
    LoopLook("overdubbing", "Over", "O", "overdub", "overdub", .overdub, isRunning: true),
    LoopLook("replacing", "Replace", "X", "replace", "replace", .replace, isRunning: true),
    LoopLook("substituting", "Subst", "S", "substitute", "substitute", .replace, isRunning: true),
    LoopLook("multiplying", "Multiply", "M", "multiply", "multiply", .replace, isRunning: true),
    LoopLook("inserting", "Insert", "I", "insert", "insert", .replace, isRunning: true),
    LoopLook("playing", "Play", ">", "play", "play", .play, isRunning: true),
    LoopLook("muted", "Mute", "m", "muted", "play", .play, isFilled: false, isRunning: true),
    LoopLook("paused", "Pause", "p", "pause", "pause"),
    LoopLook("stopped", "Stop", "s", "stop", "stop"),
  ]

  /// The look of a state; nil for an unknown name.
  package static func of(_ state: String) -> LoopLook? { all.first { $0.state == state } }

  /// The period of the queued state's blinking, in milliseconds: lit for one half, dark for the other.
  package static let blinkPeriod = 500
}
