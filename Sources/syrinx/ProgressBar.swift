internal import Posix

/// A progress bar on the terminal; no output without one.
struct ProgressBar {
  private static let width = 30
  private static let periodMicroseconds = 100_000.0

  private let isShown = Environment.isWatched
  private let start = HostTime.steady
  private var shown = HostTime.steady
  private var hasLine = false

  /// Shows the seconds of sound done, and the total if known, after a label.
  mutating func show(_ done: Double, of all: Double?, _ what: String = "") {
    guard isDue() else { return }
    let speed = Int(done / (HostTime.steady - start) * 1e6)
    let label = what.isEmpty ? "" : what + " "
    guard let all, all > 0 else {
      Environment.show("\(label)\(Int(done)) s done, \(speed) x real time")
      return
    }
    Environment.show("\(label)\(Self.bar(done / all)), \(speed) x real time")
  }

  /// Shows the number of items done, the total, and their name.
  mutating func show(_ done: Int, of all: Int, _ things: String) {
    guard isDue(), all > 0 else { return }
    Environment.show("\(Self.bar(Double(done) / Double(all))), \(done) of \(all) \(things)")
  }

  private mutating func isDue() -> Bool {
    guard isShown, HostTime.steady - shown >= Self.periodMicroseconds else { return false }
    shown = HostTime.steady
    hasLine = true
    return true
  }

  private static func bar(_ share: Double) -> String {
    let share = min(share, 1)
    let full = Int(share * Double(width))
    return String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
      + " \(Int(share * 100)) %"
  }

  /// Removes the progress bar.
  mutating func clear() {
    if hasLine { Environment.show("") }
    hasLine = false
  }
}
