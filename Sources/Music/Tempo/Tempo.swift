/// A tempo, in beats a minute.
package struct Tempo: Hashable, Sendable {
  /// The range of tempos, in beats a minute.
  package static let possible = 20.0...300.0
  /// The default tempo.
  package static let initial = Tempo(clamping: 120)

  /// The beats a minute.
  package let beatsPerMinute: Double

  /// Creates a tempo of beats a minute.
  package init(_ beatsPerMinute: Double) throws(MusicFault) {
    guard Self.possible.contains(beatsPerMinute) else {
      throw MusicFault(.range, "a tempo is 20 to 300 beats a minute; got \(beatsPerMinute)")
    }
    self.beatsPerMinute = beatsPerMinute
  }

  /// Creates the possible tempo that is nearest to some beats a minute.
  init(clamping beatsPerMinute: Double) {
    self.beatsPerMinute = min(
      max(beatsPerMinute, Self.possible.lowerBound), Self.possible.upperBound)
  }

  /// The length of a beat in seconds.
  package var secondsPerBeat: Double { 60 / beatsPerMinute }

  /// Converts beats to seconds.
  package func seconds(_ beats: Double) -> Double { beats * 60 / beatsPerMinute }

  /// Converts seconds to beats.
  package func beats(_ seconds: Double) -> Double { seconds * beatsPerMinute / 60 }
}
