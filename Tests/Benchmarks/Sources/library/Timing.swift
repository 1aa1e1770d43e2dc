import Posix

/// Repeated timings of an operation.
struct Timing {
  private var milliseconds: [Double] = []

  /// Times the operation once more, and returns its result.
  mutating func time<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = HostTime.steady
    let result = try body()
    milliseconds.append((HostTime.steady - start) / 1e3)
    return result
  }

  var median: Double { milliseconds.sorted()[milliseconds.count / 2] }
  var worst: Double { milliseconds.max() ?? 0 }
}

/// A table on standard output.
enum Report {
  /// Prints the heading.
  static func begin() {
    show([padded("", 48)] + ["cold", "worst", "warm", "worst"].map { right($0, 10) })
  }

  /// Prints the times on a cold and on a warm connection, and checks the medians against limits.
  static func row(_ label: String, _ cold: Timing, _ warm: Timing?, atMost goal: Double?) {
    // On a machine with other work, the maximum of many runs measures that work.
    let median = max(cold.median, warm?.median ?? 0)
    let verdict = goal.map {
      "  <= \(text($0))" + (median <= $0 ? "  met" : "  MISSED")
    }
    let times = [cold.median, cold.worst] + (warm.map { [$0.median, $0.worst] } ?? [])
    show([padded(label, 48)] + times.map { right(text($0), 10) } + [verdict ?? ""])
  }

  private static func show(_ cells: [String]) {
    Environment.print(cells.joined(separator: " ") + "\n")
  }

  private static func text(_ milliseconds: Double) -> String {
    let hundredths = Int((milliseconds * 100).rounded())
    guard hundredths < 10_000 else { return "\((hundredths + 50) / 100) ms" }
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) ms"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
