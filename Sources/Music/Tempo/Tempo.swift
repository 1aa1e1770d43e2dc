/// A tempo in beats per minute.
package struct Tempo: Hashable, Sendable {
  /// The range of tempos, in BPM.
  package static let possible = 20.0...300.0
  /// The default tempo.
  package static let initial = Tempo(clamping: 120)

  /// The tempo in BPM.
  package let beatsPerMinute: Double

  /// Creates a tempo, or throws if it is out of range.
  package init(_ beatsPerMinute: Double) throws(MusicFault) {
    guard Self.possible.contains(beatsPerMinute) else {
      throw MusicFault(.range, "expected a tempo from 20 to 300 bpm; got \(beatsPerMinute)")
    }
    self.beatsPerMinute = beatsPerMinute
  }

  /// Creates a tempo clamped to the range.
  init(clamping beatsPerMinute: Double) {
    self.beatsPerMinute = min(
      max(beatsPerMinute, Self.possible.lowerBound), Self.possible.upperBound)
  }

  /// Converts beats to seconds.
  package func seconds(_ beats: Double) -> Double { beats * 60 / beatsPerMinute }

  /// Converts seconds to beats.
  package func beats(_ seconds: Double) -> Double { seconds * beatsPerMinute / 60 }
}
