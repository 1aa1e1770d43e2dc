internal import Looks

/// The lights of the player's buttons, lit while a press has an effect.
enum PlayerLight {
  /// The name of a button's light; nil for a button without one.
  static func name(of control: SurfaceControl) -> String? {
    guard case .press(let use) = control.kind else { return nil }
    let parts = use.path.split(separator: "/").map(String.init)
    let others = ["/loop/overdub", "/loop/undo", "/loop/clear", "/take/save"]
    return parts.first == "player" || others.contains(use.path) ? parts.last : nil
  }

  /// Whether a button's face is lit by the root's script, not by its own.
  static func isLitByRoot(_ control: SurfaceControl) -> Bool {
    switch control.kind {
    case .choice: true
    case .press(let use):
      name(of: control) != nil
        || LoopLook.addingButtons.contains { use.path == "/loop/selected/\($0.button)" }
    default: false
    }
  }
}
