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

  // Until this long before its beat, in seconds, a switch can be withdrawn, and follows changes of the tempo: more
  // than the control thread takes, and a long block.
  static let lead = 0.1
  private static let blocks = 2.0
  private static let longestPause = 20

  /// The frame of the moment, as far as the engine has published it.
  ///
  /// `block` is the length of the engine's blocks in frames.
  func frame(_ shared: Shared, block: Int) -> Frame {
    let (beat, clock) = (shared.latestBeat, shared.clockReading)
    let rate = Double(shared.sampleRate)
    let lead = Self.lead + Self.blocks * Double(block) / rate
    switch self {
    case .now: return .immediately
    case .beat, .bar:
      guard beat.beat > 0 else { return .immediately }
      let start = Self.approach(beat.nextFrame, clock, lead, rate: rate)
      // Only the frame of the next beat is exact.
      guard case .bar = self, beat.beat < beat.beatsPerBar else { return start }
      return .later(Self.longestPause)
    case .loop:
      guard let next = shared.nextCycle else { return .immediately }
      return Self.approach(next, clock, lead, rate: rate)
    }
  }

  private static func approach(
    _ frame: Int64, _ clock: ClockReading, _ lead: Double, rate: Double
  ) -> Frame {
    let ahead = Double(frame - clock.frame) / rate - lead
    if ahead <= 0 { return .known(frame) }
    return .later(min(longestPause, max(1, Int(ahead * 1000))))
  }
}
