/// A colour of red, green, blue and opacity, each from 0 to 1.
struct Color: Equatable, Sendable {
  var red: Double
  var green: Double
  var blue: Double
  var alpha = 1.0

  init(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// The dimmed colour, of what is not lit.
  var dimmed: Color { Color(red * 0.3, green * 0.3, blue * 0.3, alpha) }

  // Made for a dark stage.
  static let background = Color(0.03, 0.03, 0.04)
  static let panel = Color(0.11, 0.12, 0.14)
  static let text = Color(0.95, 0.95, 0.97)
  static let quiet = Color(0.62, 0.64, 0.68)
  static let clear = Color(0, 0, 0, 0)
  static let off = Color(0.16, 0.17, 0.19)
}

extension Control.Accent {
  /// The colour of a button that is lit.
  var color: Color {
    switch self {
    case .plain: Color(0.35, 0.62, 0.95)
    case .voice: Color(0.75, 0.45, 1)
    case .record: Color(1, 0.25, 0.22)
    case .play: Color(0.25, 0.85, 0.4)
    case .loop: Color(0.2, 0.75, 0.85)
    case .danger: Color(1, 0.5, 0.1)
    case .white: Color(0.92, 0.9, 0.84)
    }
  }
}
