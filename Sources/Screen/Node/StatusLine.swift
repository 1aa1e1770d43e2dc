/// The values of a status line.
package struct NodeFigures: Equatable, Sendable {
  /// The peaks of both inputs and both outputs since the last update, and the limiter's gain
  /// reduction, in dB.
  package var levels: [Float] = []
  /// Whether the sound server runs.
  package var isServerRunning = false
  /// The sound server's load in percent.
  package var load: Float = 0
  /// The number of xruns since the start.
  package var xruns = 0
  /// The player's state.
  package var player = ""
  /// The player's position in seconds.
  package var position: Float = 0
  /// The length of the player's clip in seconds.
  package var length: Float = 0
  /// The length of the capture so far in seconds; nil if none runs.
  package var captured: Double?
  /// The number of subscribers.
  package var clients = 0

  /// Creates unknown values.
  package init() {}
}

/// The status line of a running node.
package struct StatusLine: Sendable {
  private static let barWidth = 8

  private let glyphs: Glyphs
  private var meters = Array(repeating: Meter(), count: 4)
  private var limiter = Meter()

  /// Creates a status line.
  package init(glyphs: Glyphs) { self.glyphs = glyphs }

  /// The line at a time of a steady clock in seconds, cut to a number of columns.
  package mutating func text(
    _ figures: NodeFigures, at seconds: Double, columns: Int
  ) -> String {
    for (index, level) in figures.levels.prefix(4).enumerated() {
      meters[index].take(level, at: seconds)
    }
    if figures.levels.count > 4 { limiter.take(figures.levels[4], at: seconds) }
    var parts = figures.isServerRunning ? [] : ["SERVER GONE"]
    parts += ["in \(meter(0))\(mark(0, "CLIP"))", "out \(meter(2))\(limiterMark)"]
    let load = Figure.fixed(Double(figures.load), width: 3)
    parts.append("load \(load) %")
    parts.append("xruns \(figures.xruns)")
    let state = figures.player.isEmpty ? Figure.unknown : figures.player
    let times = [figures.position, figures.length].map {
      Figure.fixed(Double($0), places: 1, width: 4)
    }
    parts.append(figures.length > 0 ? "\(state) \(times[0])/\(times[1]) s" : state)
    if let captured = figures.captured {
      parts.append("capture\(Figure.duration(captured))")
    }
    parts.append("clients \(figures.clients)")
    var line = ""
    for part in parts {
      let longer = line.isEmpty ? part : line + "  " + part
      guard PlainText.width(longer) <= columns else { break }
      line = longer
    }
    return line
  }

  /// The meter of the louder channel, and both peaks.
  private func meter(_ first: Int) -> String {
    let (left, right) = (meters[first], meters[first + 1])
    let louder = right.level ?? -.infinity > left.level ?? -.infinity ? right : left
    let peak = [left.peak, right.peak].compactMap { $0 }.max()
    return String(MeterBar.letters(louder, width: Self.barWidth, glyphs: glyphs))
      + Figure.level(peak)
  }

  private func mark(_ first: Int, _ word: String) -> String {
    " " + (meters[first].isClipped || meters[first + 1].isClipped ? word : blanks(word))
  }

  private var limiterMark: String {
    " " + (limiter.peak ?? 0 > 0.05 ? "LIM" : blanks("LIM"))
  }

  private func blanks(_ word: String) -> String { String(repeating: " ", count: word.count) }
}
