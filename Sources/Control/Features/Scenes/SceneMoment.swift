internal import Engine

/// The moment at which a scene or part takes effect.
enum SceneMoment: String, CaseIterable {
  /// In the next block.
  case now
  case beat, bar
  /// At the start of the leading loop's next cycle.
  case loop

  static let words = allCases.map(\.rawValue)

  /// The frame of a moment, or the delay until it can be known.
  enum Frame: Equatable {
    case known(Int64)
    /// In the next block: nothing plays that could be waited for.
    case immediately
    /// Look again after this time, in milliseconds.
    case later(Int)
  }

  // Until this long before its beat, in seconds, a switch can be withdrawn, and follows changes of the tempo.
  private static let lead = 0.25
  private static let longestPause = 20

  /// The frame of the moment, as far as the engine has published it.
  func frame(_ shared: Shared) -> Frame {
    let (beat, clock) = (shared.latestBeat, shared.clockReading)
    switch self {
    case .now: return .immediately
    case .beat, .bar:
      guard beat.beat > 0 else { return .immediately }
      let start = Self.approach(beat.nextFrame, clock, rate: shared.sampleRate)
      // Only the frame of the next beat is exact.
      guard case .bar = self, beat.beat < beat.beatsPerBar else { return start }
      return .later(Self.longestPause)
    case .loop:
      guard let next = shared.nextCycle else { return .immediately }
      return Self.approach(next, clock, rate: shared.sampleRate)
    }
  }

  private static func approach(_ frame: Int64, _ clock: ClockReading, rate: Int) -> Frame {
    let ahead = Double(frame - clock.frame) / Double(rate) - lead
    if ahead <= 0 { return .known(frame) }
    return .later(min(longestPause, max(1, Int(ahead * 1000))))
  }
}
