internal import Engine

extension Address {
  /// The tempo.
  static let ofTheTempo: [Address] = [
    Address(
      "/metronome/bpm", .number(.tempo, 20...300, initial: 120), unit: "beats/min",
      "The tempo, which echoes in beats follow"),
    Address(
      "/metronome/beats", .whole(.metronomeBeats, 1...16, initial: 4), unit: "beats",
      "How many beats a bar has"),
    Address(
      "/transport/follow", .whole(.transportFollow, 0...1, initial: 0),
      "1 takes tempo, beats and bars from JACK's transport while that rolls; where nobody tells it "
        + "of bars, they begin with the transport, in the node's own tempo"),
  ]
}
