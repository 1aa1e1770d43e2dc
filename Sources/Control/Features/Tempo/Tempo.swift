internal import Engine
internal import Music
internal import OSC

/// The tempo: as set, tapped, and shared with JACK's transport.
package final class Tempo: Feature {
  // The poll intervals in milliseconds: while a request to the server is pending, and while the node is
  // timebase master.
  private static let askingMilliseconds = 2
  private static let leadingMilliseconds = 100

  // The poll interval for beats moved by a message or by the transport, in milliseconds.
  private static let beatMilliseconds = 20
  private static let transportMilliseconds = 5
  // A beat further ahead than any buffer, in microseconds, belongs to another clock.
  private static let mostAhead = 200_000.0

  private let context: Context
  // The frame of the beat announced last; nil without subscribers.
  private var beatSent: Int64?
  private var taps = TapTempo()
  // The sender of the pending request to the server; nil if none is pending.
  private var asking: Request??
  private var wasLeading = false
  /// Whether the node should be timebase master, including after a restart of the server.
  var wantsLead = false

  init(_ context: Context) { self.context = context }

  // MARK: - Taps

  /// Adds a tap at the request's time.
  ///
  /// The resulting tempo is set by a message at that time.
  func tap(_ request: Request) throws(Refusal) {
    guard let tempo = taps.tap(at: (request.due ?? context.now()) / 1e6) else { return }
    try set(beatsPerMinute: Float(tempo), at: request.due)
  }

  /// Sets the tempo by a message.
  func set(beatsPerMinute: Float, at due: Double? = nil) throws(Refusal) {
    try context.perform(Self.bpm, [.float(beatsPerMinute)], at: due)
  }

  // MARK: - Transport

  /// Whether the node is timebase master.
  var isLeading: Bool {
    switch context.soundServer.status.lead {
    case .asked, .yes: true
    case .no, .denied: false
    }
  }

  /// Requests or releases the role of timebase master.
  func lead(_ leads: Bool, _ request: Request?) {
    context.soundServer.leadTransport(leads)
    asking = leads ? .some(request) : nil
    wantsLead = leads
    context.keeper.stateChanged()
  }

  /// Requests the role of timebase master again if the node had it when it ended.
  package func resumeLeading() { if wantsLead { lead(true, nil) } }

  /// Polls the transport of the server.
  func poll(_ now: Double) -> Int? {
    let status = context.soundServer.status
    let lead = status.lead
    if isLeading != wasLeading {
      wasLeading = isLeading
      context.changed(Self.lead)
      // Another client has become timebase master.
      if !isLeading && status.isRunning { wantsLead = false }
      context.keeper.stateChanged()
    }
    // Another client was timebase master before the request, or after a restart of the server.
    if wantsLead, lead == .denied {
      wantsLead = false
      context.keeper.stateChanged()
    }
    if let request = asking, lead != .asked {
      asking = nil
      if lead != .yes { context.report(Self.refusal(lead), of: Self.lead, to: request?.client) }
    }
    let leadDue =
      asking != nil ? Self.askingMilliseconds : isLeading ? Self.leadingMilliseconds : nil
    return [leadDue, followBeat(now)].compactMap(\.self).min()
  }

  /// Announces the beat when it is due.
  ///
  /// Returns the time until the next poll in milliseconds.
  private func followBeat(_ now: Double) -> Int? {
    guard context.isWanted(Self.beat) else {
      beatSent = nil
      return nil
    }
    let shared = context.shared
    let (beat, clock) = (shared.latestBeat, shared.clockReading)
    // A new subscriber does not receive the beat that is already over.
    let sent = beatSent ?? beat.frame
    beatSent = sent
    if beat.frame != sent {
      // The buffer with the beat is rendered ahead of its time. Without a clock there is no time to wait
      // for.
      let ahead = shared.isFreewheeling ? 0 : clock.microseconds(at: beat.frame) - now
      if 500..<Self.mostAhead ~= ahead { return Int((ahead / 1000).rounded(.up)) }
      beatSent = beat.frame
      context.announce(Self.beat, Self.row(beat))
    }
    let latest = shared.isTransportFollowed ? Self.transportMilliseconds : Self.beatMilliseconds
    let ahead = (clock.microseconds(at: beat.nextFrame) - now) / 1000
    return max(1, Int(min(ahead.rounded(.up), Double(latest))))
  }

  private static func row(_ beat: BeatReading) -> [Argument] {
    Argument.row(beat.beat, beat.beatsPerBar)
  }

  private static func refusal(_ lead: TransportLead) -> Refusal {
    lead == .denied
      ? Refusal(
        .state, "another program is timebase master of JACK's transport; release it there first")
      : Refusal(
        .state, "no sound server is running; the node becomes timebase master when one starts")
  }

  /// Resets the role of timebase master.
  ///
  /// The session uses another JACK client, to which pending replies don't apply.
  func beginSession() {
    asking = nil
    wasLeading = false
    wantsLead = false
    context.changed(Self.lead)
  }
}

extension Tempo {
  typealias Declared = Declaring<Tempo>

  private static let bpm = "/metronome/bpm"
  private static let lead = "/transport/lead"

  private static let beat = "/metronome/beat"

  static let addresses: [Address] = [
    Address(bpm, .number(.beat(.tempo), 20...300), unit: "beats/min", kept: .session, "Tempo"),
    Address(
      "/metronome/beats", .whole(.beat(.beatsPerBar), 1...16), unit: "beats",
      kept: .session,
      "Beats per bar"),
    Address(
      "/metronome/on", .whole(.metronome(.on), 0...1), kept: .session,
      "1 turns the click on, and starts a bar unless something depends on the beats"),
    Address(
      "/metronome/gain", .number(.metronome(.gain), -90...24), unit: "dB",
      kept: .session,
      "Gain of the click; -90 is silence"),
    Address(
      "/metronome/countin", .whole(.beat(.countIn), 0...4), unit: "bars",
      kept: .session,
      "Count-in before a recording"),
    Address(
      "/metronome/tap",
      Declared.action(isButton: true, Tempo.tap),
      "Tap tempo, from the median of the last taps"),
    Address(
      beat,
      // Announced at its time, rather than on change.
      Declared.reading("ii", isAnnounced: false) { row($0.context.shared.latestBeat) },
      "Sent to subscribers at each beat, audible or not: i:beat in the bar, from 1, i:beats per "
        + "bar; those of JACK's transport while it is followed and rolls"),
    Address(
      "/transport/follow", .whole(.beat(.transportFollow), 0...1), kept: .session,
      "1 follows JACK's transport: tempo, beats and bars while it rolls; if it has no "
        + "bars, they start with the transport, at the node's tempo"),
    Address(
      lead,
      Declared.process(\.isLeading) { tempo, leads, request in
        // The audio thread isn't involved. The request to the server is made at the message's time.
        PlannedCommand(action: .sync(0), whenDone: { [weak tempo] in tempo?.lead(leads, request) })
      },
      // The role as requested, even while the server is away.
      kept: Declared.kept(.session) { tempo in
        tempo.wantsLead ? "1" : "0"
      } restore: { tempo, text in
        tempo.wantsLead = text == "1"
        return []
      },
      "1 makes the node timebase master of JACK's transport, with its tempo and bars, unless another program "
        + "is; returns to 0 when another program takes over"),
  ]
}
