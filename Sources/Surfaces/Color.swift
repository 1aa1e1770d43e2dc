internal import Looks

/// A color of red, green, blue and opacity, each from 0 to 1.
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

  /// The color of three bytes, red, green and blue, as web pages write it.
  init(_ bytes: UInt32) {
    self.init(
      Double(bytes >> 16 & 255) / 255, Double(bytes >> 8 & 255) / 255, Double(bytes & 255) / 255)
  }

  /// The color of a loop's states.
  init(_ tone: LoopLook.Tone) { self.init(tone.rgb) }

  /// The dimmed color of an unlit button.
  var dimmed: Color { Color(red * 0.3, green * 0.3, blue * 0.3, alpha) }

  /// The color of a fader's bar, dark enough for white text on it.
  var faded: Color { Color(red * 0.45, green * 0.45, blue * 0.45, alpha) }

  /// The color of text on it: dark on bright colors.
  var ink: Color { 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.3 ? .ink : .text }

  // For a dark stage.
  static let background = Color(0.03, 0.03, 0.04)
  static let panel = Color(0.11, 0.12, 0.14)
  static let text = Color(0.95, 0.95, 0.97)
  static let ink = Color(0x0E1116)
  static let quiet = Color(0.62, 0.64, 0.68)
  static let clear = Color(0, 0, 0, 0)
  static let off = Color(0.16, 0.17, 0.19)
}

extension SurfaceControl.Accent {
  /// The color of a lit button.
  var color: Color {
    switch self {
    case .plain: Color(0.35, 0.62, 0.95)
    case .voice: Color(0.75, 0.45, 1)
    case .record: Color(.record)
    case .overdub: Color(.overdub)
    case .replace: Color(.replace)
    case .play: Color(.play)
    case .loop: Color(0.2, 0.75, 0.85)
    case .danger: Color(1, 0.5, 0.1)
    case .white: Color(0.92, 0.9, 0.84)
    }
  }
}
