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
      "/metronome/on", .whole(.metronomeOn, 0...1, initial: 0),
      "1 clicks on each beat; a bar begins with it, unless something depends on the beats already"),
    Address(
      "/metronome/gain", .number(.metronomeGain, -90...24, initial: 0), unit: "dB",
      "How loud the clicks are"),
    Address(
      "/metronome/countin", .whole(.metronomeCountIn, 0...4, initial: 0), unit: "bars",
      "How many bars are counted, in clicks, before a recording begins"),
    Address(
      "/metronome/tap",
      .action([], isButton: true) { node, request throws(Refusal) in
        try node.tap(at: request.due)
      },
      "Sets the tempo to that at which it is tapped, by the middle one of the last times"),
    Address(
      "/transport/follow", .whole(.transportFollow, 0...1, initial: 0),
      "1 takes tempo, beats and bars from JACK's transport while that rolls; where nobody tells it "
        + "of bars, they begin with the transport, in the node's own tempo"),
    Address(
      "/transport/lead",
      .toggle { node in
        node.leadsTransport
      } make: { node, leads, request in
        // Nothing in the audio depends on it yet: the server is asked at the message's time.
        PlannedCommand(
          action: .sync(0),
          whenDone: { [weak node] in node?.leadTransport(leads, for: request.client) })
      },
      "1 tells JACK's transport of bars and beats by the node's own tempo, unless another program "
        + "does; 0 when it is given up, or taken over by another"),
  ]
}
