internal import Music
internal import OSC

/// The tempo, as it is tapped, and told to others.
extension Node {
  /// Takes a tap at a time in microseconds of the host's steady clock, nil for now; the tempo that
  /// it comes to is set by the same door as any other, and at that time.
  func tap(at due: Double?) throws(Refusal) {
    guard let tempo = taps.tap(at: (due ?? now()) / 1e6) else { return }
    try perform("/metronome/bpm", [.float(Float(tempo.beatsPerMinute))], at: due)
  }

  /// Asks the sound server to let its transport have bars and beats from here, or no longer.
  func leadTransport(_ leads: Bool, for client: Client?) {
    soundServer.leadTransport(leads)
    leadWatch.asked(by: client, leads: leads)
    stateChanged()
  }

  /// Leads the transport again, where it was led when the node ended.
  package func resumeLeading() {
    if leadWatch.isWanted { leadTransport(true, for: nil) }
  }

  /// Whether the transport has its bars and beats from here, as far as is known.
  var leadsTransport: Bool {
    switch soundServer.status.lead {
    case .asked, .yes: true
    case .no, .denied: false
    }
  }
}

/// Watches whether the transport has its bars and beats from here.
struct LeadWatch {
  // How often to look, in milliseconds: while the server is asked, and as long as it has them.
  private static let askingMilliseconds = 2
  private static let leadingMilliseconds = 100

  private var isAsking = false
  private var client: Client?
  private var wasLeading = false
  /// Whether the transport is to be led: also when the server has come back.
  var isWanted = false

  /// Notes who asked the server, so as to tell what became of it.
  mutating func asked(by client: Client?, leads: Bool) {
    isAsking = leads
    isWanted = leads
    self.client = client
  }

  /// Looks at what the server says; returns in how many milliseconds to look again, nil for any
  /// time.
  mutating func look(node: Node) -> Int? {
    let status = node.soundServer.status
    let lead = status.lead
    let isLeading = node.leadsTransport
    if isLeading != wasLeading {
      wasLeading = isLeading
      node.feedback.changed("/transport/lead")
      // Another program leads now.
      if !isLeading && status.isRunning { isWanted = false }
      node.stateChanged()
    }
    // It did before this one asked, or when the server came back.
    if isWanted, lead == .denied {
      isWanted = false
      node.stateChanged()
    }
    if isAsking, lead != .asked {
      isAsking = false
      if lead != .yes { node.report(Self.refusal(lead), of: "/transport/lead", to: client) }
    }
    return isAsking
      ? Self.askingMilliseconds : isLeading ? Self.leadingMilliseconds : nil
  }

  private static func refusal(_ lead: TransportLead) -> Refusal {
    lead == .denied
      ? Refusal(
        .state, "another program tells JACK's transport of bars and beats; end that there first")
      : Refusal(.state, "there is no sound server at present; its transport is led when one comes")
  }
}
