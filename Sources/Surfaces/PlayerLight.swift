/// The lights of the player's buttons, which are bright while pressing them does something.
enum PlayerLight {
  /// Returns the name of a button's light; nil for one without such a light.
  static func name(of control: SurfaceControl) -> String? {
    guard case .press(let use) = control.kind else { return nil }
    let parts = use.path.split(separator: "/").map(String.init)
    let others = ["/loop/overdub", "/loop/undo", "/loop/clear", "/take/save"]
    return parts.first == "player" || others.contains(use.path) ? parts.last : nil
  }

  /// The states of the chosen loop that light a button, and the buttons by the ends of their addresses.
  static let ofChosenLoop = [
    "replacing": "replace", "substituting": "substitute", "multiplying": "multiply",
    "inserting": "insert",
  ]

  /// Tells whether a button is lit while the chosen loop does what it begins.
  static func isOfChosenLoop(_ control: SurfaceControl) -> Bool {
    guard case .press(let use) = control.kind else { return false }
    return ofChosenLoop.values.contains { use.path == "/loop/selected/\($0)" }
  }
}
