internal import Posix

/// A progress bar on the terminal; no output without one.
struct ProgressBar {
  private static let width = 30
  private static let periodMicroseconds = 100_000.0

  private let isShown = Environment.isWatched
  // The item in progress, and the number of items.
  private var item = (index: 0, count: 1)
  private var start = HostTime.steady
  private var shown = HostTime.steady
  private var hasLine = false

  /// Begins one of several items, counted from 0.
  mutating func begin(_ index: Int, of count: Int) {
    item = (index, count)
    start = HostTime.steady
  }

  /// Shows the seconds of sound done of the current item, and their total if known.
  ///
  /// With several items, the bar is the share of all of them.
  mutating func show(_ done: Double, of all: Double?) {
    guard isDue() else { return }
    let speed = Int(done / max(1, HostTime.steady - start) * 1e6)
    let share = all.flatMap { $0 > 0 ? min(done / $0, 1) : nil }
    guard item.count > 1 else {
      let shown = share.map(Self.bar) ?? "\(Int(done)) s done"
      Environment.show("\(shown), \(speed) x real time")
      return
    }
    let bar = Self.bar((Double(item.index) + (share ?? 0)) / Double(item.count))
    Environment.show("\(item.index + 1) of \(item.count) \(bar), \(speed) x real time")
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
