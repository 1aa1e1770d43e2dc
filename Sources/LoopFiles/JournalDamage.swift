internal import Engine

/// What was damaged in a journal file.
struct JournalDamage: Sendable {
  /// The number of places that could be repaired.
  var repairs = 0
  /// The sample rate of the lost sound, in Hz.
  var rate = 0
  private var places = 0
  private var pages = 0

  /// Whether nothing was damaged.
  var isEmpty: Bool { places == 0 && repairs == 0 }

  /// Whether records are lost.
  var isLoss: Bool { places > 0 }

  /// Adds a place at which this many bytes had to be skipped.
  mutating func add(bytes: Int) {
    let pageBytes = JournalFormat.recordBytes + LoopRecord.pageBytes
    places += 1
    pages += (bytes + pageBytes - 1) / pageBytes
  }

  /// What happened to the file at a path, as the beginning of a line.
  func line(_ path: String) -> String {
    func counted(_ number: Int) -> String { "\(number) \(number == 1 ? "place" : "places")" }
    guard isLoss else {
      return "\(path) was damaged in \(counted(repairs)); all is repaired, and nothing is lost"
    }
    // In hundredths of a second, rounded up.
    let hundredths = (100 * pages * LoopRecord.pageFrames + rate - 1) / max(rate, 1)
    let fraction = hundredths % 100
    return "\(path) is damaged in \(counted(places)): at most "
      + "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s of sound is lost, and everything else is "
      + "restored" + (repairs > 0 ? "; \(counted(repairs)) more could be repaired" : "")
  }
}
