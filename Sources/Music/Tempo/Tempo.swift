/// How fast beats follow each other.
package struct Tempo: Hashable, Sendable {
  /// What it can be in beats a minute.
  package static let possible = 20.0...300.0
  /// What it is unless something else is asked for.
  package static let initial = Tempo(clamping: 120)

  /// Beats a minute.
  package let beatsPerMinute: Double

  /// A tempo in beats a minute.
  package init(_ beatsPerMinute: Double) throws(MusicFault) {
    guard Self.possible.contains(beatsPerMinute) else {
      throw MusicFault(.range, "a tempo is 20 to 300 beats a minute; got \(beatsPerMinute)")
    }
    self.beatsPerMinute = beatsPerMinute
  }

  /// The tempo that is nearest to some beats a minute.
  init(clamping beatsPerMinute: Double) {
    self.beatsPerMinute = min(
      max(beatsPerMinute, Self.possible.lowerBound), Self.possible.upperBound)
  }

  /// How long a beat is in seconds.
  package var secondsPerBeat: Double { 60 / beatsPerMinute }

  /// The seconds that some beats take.
  package func seconds(_ beats: Double) -> Double { beats * 60 / beatsPerMinute }

  /// The beats that there are in some seconds.
  package func beats(_ seconds: Double) -> Double { seconds * beatsPerMinute / 60 }
}
