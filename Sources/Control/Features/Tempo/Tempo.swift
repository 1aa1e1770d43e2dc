internal import Engine
internal import Music
internal import OSC

/// The tempo: as it is set, tapped, and told to JACK's transport.
final class Tempo: Feature {
  // How often to look, in milliseconds: while the server is asked, and as long as its transport has
  // the node's bars and beats.
  private static let askingMilliseconds = 2
  private static let leadingMilliseconds = 100

  // How often to look whether beats were moved, by a message or by the transport that is followed.
  private static let beatMilliseconds = 20
  private static let transportMilliseconds = 5
  // What is further ahead than any block is long, in microseconds, goes by another clock.
  private static let mostAhead = 200_000.0

  private let context: Context
  // The frame of the beat that was told last; nil where nobody wants to know.
  private var beatTold: Int64?
  private var taps = TapTempo()
  // Who asked the server last; nil when it has answered.
  private var asking: Request??
  private var wasLeading = false
  /// Whether the transport is to be led: also when the server has come back.
  var isLeadWanted = false

  init(_ context: Context) { self.context = context }

  // MARK: - Taps

  /// Takes a tap at the request's time; the tempo that it comes to is set by the same door as any
  /// other, and at that time.
  func tap(_ request: Request) throws(Refusal) {
    guard let tempo = taps.tap(at: (request.due ?? context.now()) / 1e6) else { return }
    try set(beatsPerMinute: Float(tempo.beatsPerMinute), at: request.due)
  }

  /// Sets the tempo by the same door as any message.
  func set(beatsPerMinute: Float, at due: Double? = nil) throws(Refusal) {
    try context.perform(Self.bpm, [.float(beatsPerMinute)], at: due)
  }

  // MARK: - The transport

  /// Whether the transport has its bars and beats from here, as far as is known.
  var isLeading: Bool {
    switch context.soundServer.status.lead {
    case .asked, .yes: true
    case .no, .denied: false
    }
  }

  /// Asks the sound server to let its transport have bars and beats from here, or no longer.
  func lead(_ leads: Bool, _ request: Request?) {
    context.soundServer.leadTransport(leads)
    asking = leads ? .some(request) : nil
    isLeadWanted = leads
    context.stateChanged()
  }

  /// Looks at what the server says of its transport.
  func poll(_ now: Double) -> Int? {
    let status = context.soundServer.status
    let lead = status.lead
    if isLeading != wasLeading {
      wasLeading = isLeading
      context.changed(Self.lead)
      // Another program leads now.
      if !isLeading && status.isRunning { isLeadWanted = false }
      context.stateChanged()
    }
    // It did before this one asked, or when the server came back.
    if isLeadWanted, lead == .denied {
      isLeadWanted = false
      context.stateChanged()
    }
    if let request = asking, lead != .asked {
      asking = nil
      if lead != .yes { context.report(Self.refusal(lead), of: Self.lead, to: request?.client) }
    }
    let leadDue =
      asking != nil ? Self.askingMilliseconds : isLeading ? Self.leadingMilliseconds : nil
    return [leadDue, followBeat(now)].compactMap(\.self).min()
  }

  /// Tells of the beat when its time has come; returns in how many milliseconds to look again.
  private func followBeat(_ now: Double) -> Int? {
    guard context.isWanted(Self.beat.path) else {
      beatTold = nil
      return nil
    }
    let shared = context.engine.shared
    let (beat, clock) = (shared.latestBeat, shared.clockReading)
    // The one that is over when somebody comes is not told any more.
    let told = beatTold ?? beat.frame
    beatTold = told
    if beat.frame != told {
      // The block in which it lies is rendered before its time. Without a clock there is none.
      let ahead = shared.isFreewheeling ? 0 : clock.microseconds(at: beat.frame) - now
      if 500..<Self.mostAhead ~= ahead { return Int((ahead / 1000).rounded(.up)) }
      beatTold = beat.frame
      context.announce(Self.beat, [.int32(Int32(beat.beat)), .int32(Int32(beat.beatsPerBar))])
    }
    let latest = shared.isTransportFollowed ? Self.transportMilliseconds : Self.beatMilliseconds
    let ahead = (clock.microseconds(at: beat.nextFrame) - now) / 1000
    return max(1, Int(min(ahead.rounded(.up), Double(latest))))
  }

  private static func refusal(_ lead: TransportLead) -> Refusal {
    lead == .denied
      ? Refusal(
        .state, "another program tells JACK's transport of bars and beats; end that there first")
      : Refusal(.state, "there is no sound server at present; its transport is led when one comes")
  }

  /// Forgets that the transport was to be led: another link is asked from here on, and what the
  /// former one said is no answer of it.
  func beginSession() {
    asking = nil
    wasLeading = false
    isLeadWanted = false
    context.changed(Self.lead)
  }
}

extension Tempo {
  typealias Declared = Of<Tempo>

  private static let bpm = "/metronome/bpm"
  private static let lead = "/transport/lead"

  private static let beat = Event(
    "/metronome/beat", "ii",
    "Sent to subscribers at each beat, be it heard or not: i:beat in its bar, from 1, i:beats of "
      + "the bar; those of JACK's transport while that is followed and rolls")

  static let addresses: [Address] = [
    Address(
      bpm, .number(.beat(.tempo), 20...300), unit: "beats/min", kept: .session,
      "Tempo, which echoes in beats follow"),
    Address(
      "/metronome/beats", .whole(.beat(.beatsPerBar), 1...16), unit: "beats",
      kept: .session,
      "Beats of a bar"),
    Address(
      "/metronome/on", .whole(.metronome(.on), 0...1), kept: .session,
      "1 turns the click on; a bar begins with it, unless something depends on the beats already"),
    Address(
      "/metronome/gain", .number(.metronome(.gain), -90...24), unit: "dB",
      kept: .session,
      "Gain of the click; -90 is silence"),
    Address(
      "/metronome/countin", .whole(.beat(.countIn), 0...4), unit: "bars",
      kept: .session,
      "Count-in before a recording, in bars"),
    Address(
      "/metronome/tap",
      Declared.action(isButton: true) { tempo, request throws(Refusal) in try tempo.tap(request) },
      "Tap tempo: sets the tempo by the median of the last taps"),
    Address(beat),
    Address(
      "/transport/follow", .whole(.beat(.transportFollow), 0...1), kept: .session,
      "1 follows JACK's transport: its tempo, beats and bars while it rolls; where it has no "
        + "bars, they begin with the transport, in the node's own tempo"),
    Address(
      lead,
      Declared.process { tempo in
        tempo.isLeading
      } make: { tempo, leads, request in
        // Nothing in the audio depends on it yet: the server is asked at the message's time.
        PlannedCommand(
          action: .sync(0), whenDone: { [weak tempo] in tempo?.lead(leads, request) })
      },
      // What was asked for: a server that is away is asked again.
      kept: Declared.kept(.session) { tempo in
        tempo.isLeadWanted ? "1" : "0"
      } restore: { tempo, text in
        tempo.isLeadWanted = text == "1"
        return []
      },
      "1 leads JACK's transport with the node's own tempo, bars and beats, unless another program "
        + "does; 0 when that is over, or another program has taken it over"),
  ]
}

extension Node {
  /// Leads the transport again, where it was led when the node ended.
  package func resumeLeading() {
    let tempo = context[Tempo.self]
    if tempo.isLeadWanted { tempo.lead(true, nil) }
  }
}
