internal import Engine
internal import Music
internal import OSC

/// The tempo: as set, tapped, and shared with JACK's transport.
package final class Tempo: Feature {
  // The poll intervals in milliseconds: while a request to the server is pending, and while the node is
  // timebase master.
  private static let askingMilliseconds = 2
  private static let leadingMilliseconds = 100

  // The poll interval for beats moved by a message or by a source, in milliseconds.
  private static let beatMilliseconds = 20
  private static let sourceMilliseconds = 5
  // That of a session of Link which is not followed, and the least deviation of its beats that is corrected, in
  // microseconds.
  private static let sessionMilliseconds = 100
  private static let leastMove = 30.0
  // A beat further ahead than any buffer, in microseconds, belongs to another clock.
  private static let mostAhead = 200_000.0

  private let context: Context
  // The frame of the beat announced last; nil without subscribers.
  private var beatSent: Int64?
  private var taps = TapTempo()
  // The sender of the pending request to the server; nil if none is pending.
  private var asking: Request??
  private var wasLeading = false
  // As announced last.
  private var sourceSeen = TempoSource.own
  private var readingSeen = TempoReading()
  private var wasPlaying = false
  private var beatsPerBarSeen = 4
  // The session of Link, and what its program reported last.
  private var link: (any LinkSession)?
  private var linkReport: LinkReport?
  // The tempo of the source as set last, and the one that was passed on to the session.
  private var tempoSeen: Float?
  private var tempoProposed: Float?
  // The beat of the session as set last, and its time in microseconds.
  private var beatBrought: (beat: Double, at: Double)?
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

  // MARK: - Source

  /// Where the beats come from.
  var source: TempoSource {
    TempoSource(rawValue: UInt8(context[.beat(.source)])) ?? .own
  }

  /// Whether the beats are those of JACK's transport.
  var isTransportFollowed: Bool { source == .jack }

  /// Whether the tempo is that of another source, which scenes and loop sets leave alone.
  var isFollowing: Bool { context.shared.sourceTempo != nil }

  /// The tempo and its quality.
  var reading: TempoReading {
    if source != .own { return context.shared.tempoReading }
    var own = TempoReading()
    own.beatsPerMinute = Double(context[.beat(.tempo)])
    return own
  }

  /// The elapsed beats of the present bar.
  var phase: Float {
    let (beat, clock) = (context.shared.latestBeat, context.shared.clockReading)
    guard beat.beat > 0, beat.nextFrame > beat.frame else { return 0 }
    let frame = clock.frame(at: context.now())
    let share = Double(frame - beat.frame) / Double(beat.nextFrame - beat.frame)
    let beats = Double(beat.beat - 1) + share
    return Float(beats.truncatingRemainder(dividingBy: Double(max(1, beat.beatsPerBar))))
  }

  /// The own tempo, in beats per minute.
  package var own: Float { context[.beat(.tempo)] }

  /// The number of beats in a bar.
  package var beatsPerBar: Int { Int(context[.beat(.beatsPerBar)]) }

  // MARK: - Link

  /// Takes part in a session of Link.
  package func join(_ session: any LinkSession) { link = session }

  /// Takes a report of the session; nil if its program has ended.
  package func take(_ report: LinkReport?) {
    if report?.peers != linkReport?.peers { context.changed(Self.peers) }
    linkReport = report
    if peerCount != 0 { beatBrought = nil }
    _ = followSource()
  }

  /// The number of other programs in the session; -1 without one.
  var peerCount: Int { linkReport?.peers ?? -1 }

  /// Whether the source runs.
  var isPlaying: Bool {
    switch source {
    case .own: false
    case .midi, .jack: context.shared.tempoReading.isRunning
    case .link: linkReport?.isPlaying ?? false
    }
  }

  /// Starts or stops the session's transport.
  private func setPlaying(_ request: Request) throws(Refusal) {
    guard source == .link, let link, linkReport != nil else {
      throw Refusal(
        .state,
        "\(request.path): only a session of Link is started here; /tempo/source link, with --link")
    }
    link.setPlaying(request.whole(0) == 1)
  }

  /// Takes the tempo of the source over as the node's, and passes a tempo set here on to a session.
  func followTempo() {
    guard let tempo = context.shared.sourceTempo else {
      tempoSeen = nil
      return
    }
    // Compared with the present value, since clients can set another tempo. A tempo out of range moves only
    // the beats.
    let isNew = tempo != tempoSeen
    tempoSeen = tempo
    if own == tempo {
      tempoProposed = nil
    } else if isNew || source != .link {
      do { try set(beatsPerMinute: tempo) } catch { tempoProposed = own }
    } else if own != tempoProposed {
      tempoProposed = own
      link?.setTempo(own)
    }
  }

  /// Announces changes of the source and its tempo.
  ///
  /// Returns the time until the next poll in milliseconds.
  private func followSource() -> Int? {
    let (source, reading) = (source, reading)
    if source != sourceSeen {
      if source == .jack || sourceSeen == .jack { context.changed(Self.follow) }
      sourceSeen = source
      if source == .link && link == nil { context.report(Self.noSession, of: Self.sourcePath) }
    }
    // Alone in a session, the node brings its tempo and its beats; others keep theirs.
    if source != .link, peerCount == 0 { bringBeats() }
    if beatsPerBar != beatsPerBarSeen {
      beatsPerBarSeen = beatsPerBar
      link?.setQuantum(beatsPerBar)
    }
    if isPlaying != wasPlaying {
      wasPlaying = isPlaying
      // The engine itself follows the other sources.
      if source == .link, !wasPlaying, context[.beat(.stopsLoops)] != 0 {
        try? context.submit([PlannedCommand(action: .stopAll)], path: Self.stop)
      }
      context.changed(Self.playing)
    }
    if reading.isLocked != readingSeen.isLocked {
      readingSeen.isLocked = reading.isLocked
      context.changed(Self.locked)
    }
    // As displayed, in hundredths.
    if abs(reading.beatsPerMinute - readingSeen.beatsPerMinute) >= 0.01 {
      readingSeen = reading
      context.changed(Self.sourceBPM)
    }
    if source == .own { return link == nil ? nil : Self.sessionMilliseconds }
    return Self.beatMilliseconds
  }

  /// Sets the tempo and the beats of a session without others, so that following it moves no beat.
  private func bringBeats() {
    if own != tempoProposed {
      tempoProposed = own
      link?.bringTempo(own)
      beatBrought = nil
    }
    let (beat, clock) = (context.shared.latestBeat, context.shared.clockReading)
    guard beat.beat > 0 else { return }
    // The beats of the session are those that are heard.
    let delay =
      Double(context.shared.outputDelayFrames) * clock.microsecondsPerFrame
      - Double(context[.beat(.offset)]) * 1000
    let heard = (beat: Double(beat.beat - 1), at: clock.microseconds(at: beat.frame) + delay)
    if let known = beatBrought {
      let bar = Double(beatsPerBar)
      let passed = (heard.at - known.at) / 60e6 * Double(own) + known.beat - heard.beat
      let error = passed - (passed / bar).rounded() * bar
      if abs(error) / Double(own) * 60e6 < Self.leastMove { return }
    }
    beatBrought = heard
    link?.bringBeat(heard.beat, at: heard.at)
  }

  /// Sets the source to JACK's transport, or to the own tempo if it was that.
  private func followTransport(_ follows: Bool) -> Command.Action {
    let other = source == .jack ? TempoSource.own : source
    return .set(.beat(.source), Float((follows ? .jack : other).rawValue))
  }

  /// Sets the range of the tempo that a recording sets.
  private func setRange(_ request: Request, _ plan: inout Plan) throws(Refusal) {
    let (least, most) = (Float(request.number(0) ?? 0), Float(request.number(1) ?? 0))
    guard least <= most else {
      throw Refusal(.range, "the lowest tempo is above the highest; the lowest comes first")
    }
    plan.add(PlannedCommand(action: .set(.beat(.slowest), least)), for: request)
    plan.add(PlannedCommand(action: .set(.beat(.fastest), most)), for: request)
    plan.echo([.float(least), .float(most)], by: request)
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
    let sourceDue = followSource()
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
    return [sourceDue, leadDue, followBeat(now)].compactMap(\.self).min()
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
    let latest = source == .own ? Self.beatMilliseconds : Self.sourceMilliseconds
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

  private static var noSession: Refusal {
    Refusal(
      .state,
      "there is no session of Link; start the node with --link; until then its own tempo goes on")
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
  private static let follow = "/transport/follow"
  private static let sourcePath = "/tempo/source"
  private static let locked = "/tempo/locked"
  private static let sourceBPM = "/tempo/bpm"
  private static let playing = "/tempo/playing"
  private static let stop = "/tempo/stop"
  private static let peers = "/tempo/peers"

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
      sourcePath, .choice(.beat(.source), ["own", "midi", "link", "jack"]), kept: .session,
      "Source of the beats: the node's own tempo, MIDI clock on midi_in, a session of Ableton Link (--link), or "
        + "JACK's transport while it rolls"),
    Address(
      sourceBPM,
      Declared.reading("f") { [.float(Float(($0.reading.beatsPerMinute * 100).rounded() / 100))] },
      unit: "beats/min", "Tempo of the source, in hundredths"),
    Address(
      "/tempo/phase", Declared.reading("f", isAnnounced: false) { [.float($0.phase)] },
      unit: "beats",
      "Elapsed beats of the present bar"),
    Address(
      locked, Declared.reading("i") { [.int32($0.reading.isLocked ? 1 : 0)] },
      "1 while the source is present and its phase is known within 1 ms, after two beats of MIDI clock or Link, or "
        + "while JACK's transport rolls; always 1 for the own tempo"),
    Address(
      playing,
      Declared.setting([.needed("", .whole, in: 0...1)], \.isPlaying) {
        tempo, request throws(Refusal) in try tempo.setPlaying(request)
      },
      "1 while the source runs: after a Start of MIDI clock, while JACK's transport rolls or the Link session plays; "
        + "1 or 0 starts the session with the next bar, or stops it"),
    Address(
      peers, Declared.reading("i") { [.int32(Int32($0.peerCount))] },
      "Number of other programs in the Link session; -1 without one (--link)"),
    Address(
      "/tempo/error",
      Declared.reading("f", isAnnounced: false) { [.float(Float($0.reading.error))] },
      unit: "ms",
      "Expected error of the beats against MIDI clock (standard deviation), from its jitter"),
    Address(
      "/tempo/offset", .number(.beat(.offset), -500...500), unit: "ms", kept: .session,
      "Delay of the beats against MIDI clock or Link; negative is earlier"),
    Address(
      "/tempo/range",
      Declared.combined(
        [
          .needed("lowest", .number, in: 20...300), .needed("highest", .number, in: 20...300),
        ],
        read: { [.float($0.context[.beat(.slowest)]), .float($0.context[.beat(.fastest)])] },
        plan: { tempo, request, plan throws(Refusal) in try tempo.setRange(request, &plan) }),
      unit: "beats/min",
      kept: Declared.kept(.session) { tempo in
        "\(tempo.context[.beat(.slowest)]) \(tempo.context[.beat(.fastest)])"
      } restore: { tempo, text throws(Refusal) in
        let values = text.split(separator: " ").compactMap { Float($0) }
        if values.count == 2 {
          try tempo.context.perform("/tempo/range", values.map { .float($0) })
        }
        return []
      },
      "Range of the tempo that the first recording may set (/loop/tempo)"),
    Address(
      stop, .whole(.beat(.stopsLoops), 0...1), kept: .session,
      "1 stops all loops when MIDI clock, JACK transport or the Link session stops; with 0 they continue at the last "
        + "tempo"),
    Address(
      "/tempo/send", .whole(.beat(.sendsClock), 0...1), kept: .session,
      "1 sends MIDI clock on midi_out, with Start, Stop and Song Position while the metronome, a loop, or the "
        + "source runs"),
    Address(
      "/tempo/send/offset", .number(.beat(.clockOffset), -500...500), unit: "ms", kept: .session,
      "Delay of the MIDI clock on midi_out; negative is earlier"),
    Address(
      follow,
      Declared.process(\.isTransportFollowed) { tempo, follows, _ in
        PlannedCommand(action: tempo.followTransport(follows))
      },
      // Part of /tempo/source; sessions of earlier versions have it.
      kept: Declared.kept(.session) { _ in
        nil
      } restore: { tempo, text throws(Refusal) in
        if text == "1" { try tempo.context.perform("/tempo/source", [.string("jack")]) }
        return []
      },
      "1 makes JACK's transport the source of the beats: tempo, beats and bars while it rolls; if it has no "
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
