/// A level meter with instant attack, slow decay, and peak hold.
package struct Meter: Equatable, Sendable {
  // In dB per second: fast enough to follow, slow enough to read.
  private static let fall: Float = 30
  private static let holdSeconds = 1.5
  // Levels beyond these are clamped.
  private static let least: Float = -120
  private static let most: Float = 99
  private static let clipSeconds = 3.0
  // A clipped sample is not exactly at full scale after a gain.
  private static let clipDecibels: Float = -0.05

  /// The level in dB.
  package private(set) var level: Float?
  /// The held peak in dB.
  package private(set) var peak: Float?
  private var time = 0.0
  private var peakEnd = 0.0
  private var clipEnd = 0.0

  /// Creates a meter without a level.
  package init() {}

  /// Updates with the peak in dB since the last update, at a time of a steady clock in seconds.
  package mutating func take(_ decibels: Float, at seconds: Double) {
    guard !decibels.isNaN else { return }
    let decibels = min(max(decibels, Self.least), Self.most)
    advance(to: seconds)
    level = max(decibels, level ?? decibels)
    if decibels >= peak ?? -.infinity {
      peak = decibels
      peakEnd = seconds + Self.holdSeconds
    }
    if decibels >= Self.clipDecibels { clipEnd = seconds + Self.clipSeconds }
  }

  /// Decays the level to a time of a steady clock in seconds.
  package mutating func advance(to seconds: Double) {
    let fallen = Float(max(0, seconds - time)) * Self.fall
    time = seconds
    if let level { self.level = max(Self.least, level - fallen) }
    if seconds >= peakEnd { peak = level }
  }

  /// Whether the level has been at full scale recently.
  package var isClipped: Bool { time < clipEnd }
}

/// The bar of a meter.
package enum MeterBar {
  // The level that fills the first column, in dB.
  private static let least: Float = -60
  private static let hot: Float = -12
  private static let top: Float = -3

  /// The characters of a level's bar of a width.
  package static func letters(_ meter: Meter, width: Int, glyphs: Glyphs) -> [Character] {
    let full = places(meter.level, width)
    let peak = places(meter.peak, width)
    return (0..<max(0, width)).map { place in
      if place < full { return glyphs.full }
      return place == peak - 1 ? glyphs.peak : glyphs.empty
    }
  }

  /// The characters of a progress bar for a share, such as the position in a song.
  package static func letters(share: Double?, width: Int, glyphs: Glyphs) -> [Character] {
    let share = share.map { $0.isFinite ? min(1, max(0, $0)) : 0 } ?? 0
    let full = Int((share * Double(width)).rounded())
    return (0..<max(0, width)).map { $0 < full ? glyphs.full : glyphs.empty }
  }

  private static func places(_ level: Float?, _ width: Int) -> Int {
    guard let level, level > least else { return 0 }
    return max(1, min(width, Int(((level - least) / -least * Float(width)).rounded())))
  }

  /// The color of a column of the bar.
  static func color(_ place: Int, of width: Int) -> Style.Color {
    let level = least - least * (Float(place) + 0.5) / Float(width)
    return level > top ? .red : level > hot ? .yellow : .green
  }
}
