package import Engine

/// What the program of Link reports about the session.
package struct LinkReport: Sendable {
  /// The beats, in microseconds of the host's steady clock.
  package var reading: LinkReading
  /// Whether the session plays.
  package var isPlaying: Bool
  /// The number of other programs in the session.
  package var peers: Int

  /// Parses a line of `syrinx-link`, whose clock is `lead` microseconds behind the steady one.
  ///
  /// Returns nil if it is not a report.
  package init?(_ line: Substring, lead: Double) {
    let words = line.split(separator: " ")
    guard words.count == 7, words[0] == "state", let microseconds = Double(words[1]),
      let beat = Double(words[2]), let tempo = Double(words[3]), let start = Double(words[5]),
      let peers = Int(words[6]),
      microseconds.isFinite, beat.isFinite, start.isFinite, 1...1000 ~= tempo
    else { return nil }
    isPlaying = words[4] == "1"
    reading = LinkReading(
      microseconds: microseconds + lead, beat: beat, beatsPerMinute: tempo,
      start: isPlaying ? start + lead : .infinity)
    self.peers = peers
  }

  /// Whether another report differs in the time of its beats only.
  package func isLike(_ other: LinkReport) -> Bool {
    isPlaying == other.isPlaying && peers == other.peers
      && reading.beatsPerMinute == other.reading.beatsPerMinute
  }
}

/// The connection to a session of Link.
package protocol LinkSession: AnyObject {
  /// Sets the session's tempo.
  func setTempo(_ beatsPerMinute: Float)
  /// Sets the session's tempo unless other programs are in it.
  func bringTempo(_ beatsPerMinute: Float)
  /// Sets the session's beat at a time in microseconds of the host's steady clock, unless other programs are in it.
  func bringBeat(_ beat: Double, at microseconds: Double)
  /// Sets the number of beats in a bar.
  func setQuantum(_ beats: Int)
  /// Starts the session's transport with the next bar, or stops it.
  func setPlaying(_ value: Bool)
}
