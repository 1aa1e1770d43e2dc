internal import Control
internal import Engine
internal import Posix
internal import Screen

/// The status line below the output of `syrinx run` on a terminal.
struct NodeStatusLine {
  private static let periodMicroseconds = 100_000.0

  private var line = StatusLine(glyphs: Glyphs.ofTheTerminal)
  private var next = 0.0

  /// Creates a status line; nil if standard error is not a terminal.
  init?() {
    guard BottomLine.open() else { return nil }
  }

  /// Redraws the line if it changed.
  ///
  /// Returns the delay until the next poll in milliseconds.
  mutating func look(_ node: Node, _ status: SoundServerStatus) -> Int {
    let now = HostTime.steady
    if now >= next {
      next = now + Self.periodMicroseconds
      if let columns = BottomLine.columns {
        BottomLine.show(
          line.text(Self.figures(node.summary(), status), at: now / 1e6, columns: columns))
      }
    }
    return max(1, Int((next - now) / 1e3))
  }

  private static func figures(_ summary: NodeSummary, _ status: SoundServerStatus) -> NodeFigures {
    var figures = NodeFigures()
    // in_1, in_2, out_1, out_2 and the limiter, in the order of /meter.
    figures.levels = [0, 1, 8, 9, 10].map { summary.levels[$0] }
    figures.isServerRunning = status.isRunning
    figures.load = status.load
    figures.xruns = status.xruns
    figures.player = summary.player
    figures.position = summary.position
    figures.length = summary.length
    figures.captured = summary.captured
    figures.clients = summary.clients
    return figures
  }
}

extension Glyphs {
  /// The glyphs that this terminal can show, according to the locale.
  static var ofTheTerminal: Glyphs {
    Glyphs(locale: Environment["LC_ALL"] ?? Environment["LC_CTYPE"] ?? Environment["LANG"])
  }
}
