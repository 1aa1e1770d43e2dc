/// The look of a loop in one of its states: the same word and colour on the page, on surfaces and on
/// pedals.
package struct LoopLook: Sendable {
  /// The state's word, as `/loop/1/state` has it.
  package let state: String
  /// The word that is shown.
  package let word: String
  /// The fill of its button; nil where it has none, but an edge.
  package let fill: UInt32?

  /// All of them, in the order of the node's own.
  package static let all = [
    LoopLook(state: "empty", word: "Empty", fill: nil),
    LoopLook(state: "recording", word: "Rec", fill: Color.record),
    LoopLook(state: "overdubbing", word: "Over", fill: Color.overdub),
    LoopLook(state: "replacing", word: "Replace", fill: Color.replace),
    LoopLook(state: "substituting", word: "Subst", fill: Color.replace),
    LoopLook(state: "multiplying", word: "Multiply", fill: Color.replace),
    LoopLook(state: "inserting", word: "Insert", fill: Color.replace),
    LoopLook(state: "playing", word: "Play", fill: Color.play),
    LoopLook(state: "muted", word: "Mute", fill: nil),
    LoopLook(state: "paused", word: "Pause", fill: nil),
    LoopLook(state: "stopped", word: "Stop", fill: nil),
  ]

  /// The colour of its button's face.
  var face: Color {
    // What runs on unheard has a shade of what it would be.
    fill.map { Color($0) } ?? (state == "muted" ? Color(Color.play).dimmed : .off)
  }

  /// The colour of the words on it.
  var text: Color { fill == nil ? .text : .ink }
}
