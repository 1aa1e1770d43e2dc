internal import Looks

extension LoopLook {
  /// The color of a loop button's face; a muted loop has the dimmed color of its state.
  var face: Color {
    guard let tone else { return .off }
    return isFilled ? Color(tone) : Color(tone).dimmed
  }

  /// The color of the text on it.
  var text: Color { isFilled ? .ink : .text }

  /// The buttons of the chosen loop that are lit while it is in a state, by the state's name.
  static let addingButtons = all.filter { $0.tone == .replace }.compactMap { look in
    look.button.map { (state: look.state, button: $0) }
  }
}
