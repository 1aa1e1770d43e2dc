internal import Posix

/// How far a work is, shown to the person at the terminal; to nobody where there is none.
struct ProgressBar {
  private static let width = 30
  private static let periodMicroseconds = 100_000.0

  private let isShown = Environment.isWatched
  private let start = HostTime.steady
  private var shown = HostTime.steady
  private var hasLine = false

  /// Shows so many seconds of sound done, of so many where that is known.
  mutating func show(_ done: Double, of all: Double?) {
    guard isShown else { return }
    let now = HostTime.steady
    guard now - shown >= Self.periodMicroseconds else { return }
    shown = now
    hasLine = true
    let speed = Int(done / (now - start) * 1e6)
    guard let all, all > 0 else {
      Environment.show("\(Int(done)) s done, \(speed) times real time")
      return
    }
    let share = min(done / all, 1)
    let full = Int(share * Double(Self.width))
    let bar =
      String(repeating: "█", count: full) + String(repeating: "░", count: Self.width - full)
    Environment.show("\(bar) \(Int(share * 100)) %, \(speed) times real time")
  }

  /// Leaves the terminal as it was.
  mutating func clear() {
    if hasLine { Environment.show("") }
    hasLine = false
  }
}
