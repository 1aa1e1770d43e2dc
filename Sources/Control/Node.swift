package import Engine
internal import Music
package import OSC
internal import Posix
package import Takes

/// The control side of the node: it takes packets in, tells the engine, and answers.
///
/// One thread owns it.
package final class Node {
  /// How it is called in the JACK graph and on the network.
  package var name: String
  /// What it runs on.
  package let table: AddressTable
  /// A number that is new at each start.
  package let engineID: Int32
  /// Whether it was told to quit.
  package internal(set) var isQuitting = false
  /// What was counted so far.
  package var counters = Counters()

  let engine: Engine
  let soundServer: any SoundServer
  private(set) weak var outlet: (any Outlet)?
  private(set) var values: Values
  private var whenDone: [UInt64: () -> Void] = [:]
  private var whenRefused: [UInt64: (PlayerRefusal) -> Void] = [:]
  private var playerWatch = PlayerWatch()
  private var timedUnderWay = 0
  // What waits for its time must leave room for what is to be at once.
  private static let mostTimed = Shared.commandCapacity * 3 / 4
  // Of what waits for longer, one machine can't have so much that there is nothing left for others.
  private static let mostTimedOfOne = mostTimed * 2 / 3
  var agenda = Agenda()
  private var steadyEpoch = SteadyEpoch()
  private static let planAheadMicroseconds = 500_000.0
  // What one packet is answered: it can ask for more than anybody could read.
  private static let mostAnswers = 1024
  private var answersLeft = mostAnswers
  // The same in bytes: some answers are as long as a datagram can be.
  private static let mostAnswerBytes = 1 << 20
  private var answerBytesLeft = mostAnswerBytes
  /// The addresses whose values this packet's subscriptions were sent, by their places.
  private(set) var snapshot: Set<Int> = []
  let feedback: Feedback
  let presets: Presets
  /// The library of takes; nil where there is no home folder.
  var takes: TakeDesk?
  /// Whether the settings that were kept are still on their way.
  package internal(set) var isOpening = false
  /// Where the node is, if that is known.
  var place: Place?
  /// Whether a take that is shown is played.
  var playsWhatIsShown = false
  /// Whether it is heard when it can be played.
  var greetsAtStart = true
  // What was set in this run, and is not what was kept any more.
  var changedSettings: Set<String> = []
  // What sessions begin with.
  private(set) var initialSettings: [String: String] = [:]
  let stateDesk = StateDesk()
  let settingsDesk = SettingsDesk()
  let clips = Clips()
  let capture: Capture
  let songs: Songs
  /// What lies under the fingers, and what they hold.
  var keyboard = Keyboard()
  // The audio thread has the pitches of another scale still.
  var isKeyMapDue = false
  /// The phrase that is recorded, or was.
  let phrase = PhraseDesk()
  /// Tells of the grid.
  var gridWatch = GridWatch()
  let instruments: InstrumentLoader
  /// What is listened to.
  let listening = Errands("listening")
  let bindings = Bindings()
  // The pitches of a keyboard that the audio thread has, and those on their way to it.
  var keyMaps: [KeyMap] = []
  var taps = TapTempo()
  var leadWatch = LeadWatch()
  // The threads that wait for disks, each for what may wait for the others of its kind.
  private var errands: [Errands] {
    [presets.errands, listening] + (takes.map { [$0.lists, $0.files] } ?? [])
  }
  /// The steady time, in microseconds.
  let now: () -> Double
  private let start: Double

  /// A node that plays on an engine, with a folder of its own and others that songs can come from.
  package init(
    name: String, engine: Engine, soundServer: any SoundServer, table: AddressTable = .node,
    presets: PresetLibrary = PresetLibrary(), home: String? = nil, musicFolders: [String] = [],
    instruments: InstrumentLibrary = InstrumentLibrary(),
    now: @escaping () -> Double = { HostTime.steady }
  ) {
    self.now = now
    start = now()
    self.name = name
    self.engine = engine
    self.soundServer = soundServer
    self.table = table
    engineID = Int32.random(in: 1...Int32.max)
    values = Values(table)
    feedback = Feedback(table)
    self.presets = Presets(presets, Errands("presets"))
    takes = home.map { TakeDesk(home: $0) }
    capture = Capture(home: home)
    songs = Songs(SongFolders(home: home, allowed: musicFolders))
    self.instruments = InstrumentLoader(instruments)
    capture.surroundings = { [unowned self] in
      Capture.Surroundings(place: place, preset: self.presets.loaded)
    }
    songs.whenFolderChanges = { [unowned self] in keep("/music/folder", $0, for: nil) }
    initialSettings = settingsNow
  }

  /// Whether something is on its way to a disk.
  package var isWriting: Bool {
    capture.isBusy || hasErrands || clips.underWay > 0 || instruments.isWriting
      || stateDesk.isWriting || settingsDesk.isWriting
  }

  private var hasErrands: Bool { errands.contains { $0.count > 0 } }

  /// Connects the way out.
  package func connect(to outlet: any Outlet) { self.outlet = outlet }

  /// Seconds since the start.
  package var uptime: Double { (now() - start) / 1e6 }

  /// How many subscribe at the moment.
  package var clientCount: Int { feedback.subscriptions.count }

  /// Tells a place of every change, for as long as the node runs.
  func subscribePermanently(_ client: Client) throws(Refusal) {
    expectPacket()
    try feedback.subscribe(client, to: nil, port: nil, isPermanent: true, node: self)
  }

  /// Whether a client is told of changes.
  func isSubscribed(_ client: Client) -> Bool { feedback.subscriptions.byClient[client] != nil }

  /// Forgets a client that can't be reached any more.
  func forget(_ client: Client) {
    endNotes { $0 == client || feedback.subscriptions.byClient[$0]?.target == client }
    feedback.subscriptions.removeTarget { $0 == client }
  }

  // MARK: - In

  /// Takes one packet from a client.
  package func receive(_ packet: UnsafeRawBufferPointer, from client: Client) {
    if clientCount > 0 { feedback.subscriptions.renew(client, now: now()) }
    keyboard.held.renew(client, now: now)
    var planned = Plan()
    expectPacket()
    var times = TimeCache(
      present: engine.shared.clockReading.microseconds, epoch: steadyEpoch.current)
    do throws(MalformedPacket) {
      try Packet.read(packet) { message, time in
        counters.messages += 1
        guard let due = times.due(at: time) else {
          answer(
            Refusal(
              .range,
              "a bundle's time can be \(TimeCache.secondsAhead) s ahead; this one's is further"),
            to: message.addressText, from: client)
          return
        }
        plan(message, at: due, from: client, into: &planned)
      }
    } catch {
      counters.malformed += 1
      if mayAnswer(client) {
        let refusal = Refusal(.type, "this is no OSC packet: \(error)")
        send(refusal.answer(to: ""), answering: client)
      }
      return
    }
    carryOut(planned, from: client)
  }

  /// Follows one instruction from inside the program, by the same door as all others.
  ///
  /// It takes effect at once, or at a time in microseconds of the engine's clock.
  package func perform(
    _ path: String, _ arguments: [Argument], at due: Double? = nil
  ) throws(Refusal) {
    guard let (address, path, numbers) = table.resolve(path) else { throw unknown(path) }
    var plan = Plan()
    try self.plan(address, arguments, numbers, at: due, from: nil, into: &plan)
    do throws(Refusal) {
      try submit(plan.commands, path: path, client: nil)
    } catch {
      takeBack(to: plan.keyboardBefore)
      throw error
    }
    for action in plan.afterwards { action() }
  }

  private func carryOut(_ plan: Plan, from client: Client) {
    do throws(Refusal) {
      try submit(plan.commands, path: plan.firstPath, client: client)
    } catch {
      takeBack(to: plan.keyboardBefore)
      answer(error, to: plan.firstPath, from: client)
    }
    for action in plan.afterwards { action() }
  }

  /// Takes commands on: all of them, or none and the reason.
  func submit(
    _ commands: [PlannedCommand], path: String, client: Client?
  ) throws(Refusal) {
    guard !commands.isEmpty else { return }
    guard commands.count <= CommandQueue.largestBatch else {
      counters.refused += 1
      throw Refusal(
        .busy,
        "a bundle holds at most \(CommandQueue.largestBatch) changes; got \(commands.count), "
          + "and made none of them")
    }
    let timed = commands.count { $0.due != nil }
    let waiting = timedUnderWay + agenda.count
    guard timed == 0 || waiting + timed <= Self.mostTimed else {
      counters.refused += 1
      throw Refusal(
        .busy,
        "\(waiting) timed changes wait already, and \(Self.mostTimed) can; "
          + "none of these \(commands.count) was made, send them again later")
    }
    let horizon = horizon
    let waits = commands.count { $0.due ?? 0 > horizon }
    if waits > 0, let address = client?.endpoint.address {
      let own = agenda.count(from: address)
      guard own + waits <= Self.mostTimedOfOne else {
        counters.refused += 1
        throw Refusal(
          .busy,
          "\(own) timed changes from your machine wait already, and \(Self.mostTimedOfOne) can; "
            + "none of these \(commands.count) was made, send them again later")
      }
    }
    try hand(over: commands.filter { $0.due ?? 0 <= horizon }, from: client)
    // What is for later, a time at a time.
    var later = commands.filter { $0.due ?? 0 > horizon }[...]
    while let due = later.first?.due {
      let together = later.prefix { $0.due == due }
      agenda.insert(
        Agenda.Item(commands: Array(together), due: due, path: path, client: client))
      later = later.dropFirst(together.count)
    }
  }

  /// The time up to which frames are fixed at present.
  private var horizon: Double {
    // Frames that run free of the clock run ahead of any plan, but their relation is exact.
    engine.shared.isFreewheeling
      ? .infinity : engine.shared.clockReading.microseconds + Self.planAheadMicroseconds
  }

  private func releaseAgenda(until horizon: Double) {
    while let item = agenda.take(dueBy: horizon) {
      do throws(Refusal) {
        try hand(over: item.commands, from: item.client)
      } catch {
        answer(error, to: item.path, from: item.client)
      }
    }
  }

  /// Gives commands to the audio thread: all of them, or none and the reason.
  private func hand(over commands: [PlannedCommand], from client: Client?) throws(Refusal) {
    guard !commands.isEmpty else { return }
    let clock = engine.shared.clockReading
    let batch = commands.map { command in
      Command(command.action, at: command.due.map(clock.frame(at:)) ?? Command.now)
    }
    if engine.shared.commands.free < batch.count { takeEvents() }
    guard let first = engine.shared.commands.submit(batch) else {
      counters.refused += 1
      throw Refusal(
        .busy,
        "too much is under way (\(engine.shared.commands.underWay) changes); "
          + "none of these \(batch.count) was made, send them again later")
    }
    for (index, command) in commands.enumerated() {
      let number = first + UInt64(index)
      if let done = command.whenDone { whenDone[number] = done }
      if let refused = command.whenRefused { whenRefused[number] = refused }
      if batch[index].frame == Command.now {
        command.whenTaken?()
      } else {
        timedUnderWay += 1
      }
      guard case .set(let parameter, let value) = command.action else { continue }
      noteSetting(parameter)
      if batch[index].frame == Command.now { values.accept(parameter, value, command: number) }
      if let client { feedback.heard(parameter, value, from: client) }
    }
  }

  // MARK: - Out

  /// Takes what the audio thread has to say.
  package func takeEvents() {
    var count = 0
    while let event = engine.shared.nextEvent() {
      count += 1
      if event.wasTimed { timedUnderWay -= 1 }
      switch event.kind {
      case .applied(let parameter, let value):
        values.apply(parameter, value, command: event.command)
        feedback.changed(parameter)
        keepValue(of: parameter, value)
      case .synced, .done, .faded:
        whenRefused[event.command] = nil
        whenDone.removeValue(forKey: event.command)?()
      case .refused(let refusal):
        whenDone[event.command] = nil
        whenRefused.removeValue(forKey: event.command)?(refusal)
      }
    }
    guard count > 0 else { return }
    engine.shared.commands.returnCredits(count)
    stateChanged()
  }

  /// Does what is due: events, feedback, meters, leases.
  ///
  /// Returns in how many milliseconds it wants to be called again at the latest.
  package func tick() -> Int {
    // What ends now is answered, whatever the last packet has asked for.
    expectPacket()
    takeEvents()
    // Read once: freewheel can begin at any moment, and puts it at infinity.
    let horizon = horizon
    releaseAgenda(until: horizon)
    // Each list may be as long as a packet's answers.
    for errands in errands { errands.deliver { expectPacket() } }
    let now = now()
    takes?.tidy(now) { _ in }
    if isKeyMapDue { updateKeyMap() }
    let looks = [
      playerWatch.look(now, node: self), lookAfterCaptures(), songs.look(now, node: self),
      gridWatch.look(now, node: self), phrase.look(now, node: self),
      instruments.look(now, node: self),
      bindings.look(now, node: self), leadWatch.look(node: self),
      stateDesk.look(now, node: self), settingsDesk.look(now, node: self),
    ]
    feedback.tick(now, node: self)
    if engine.shared.commands.underWay > timedUnderWay + instruments.stillSounding { return 1 }
    var milliseconds = feedback.millisecondsUntilDue(now)
    // What waits for its time in the audio is told within a few milliseconds of it.
    if timedUnderWay > 0 { milliseconds = min(milliseconds, 5) }
    for case let look? in looks { milliseconds = min(milliseconds, look) }
    if hasErrands { milliseconds = min(milliseconds, 2) }
    if let due = agenda.nextDue {
      // What has come since can lie before it, and before infinity by infinitely much.
      milliseconds = min(milliseconds, Int(min(max((due - horizon) / 1000, 1), 1e6)))
    }
    return milliseconds
  }

  /// Fades out, and calls back when all is silent.
  package func leave(_ whenSilent: @escaping () -> Void) {
    try? submit(
      [PlannedCommand(action: .leave, whenDone: whenSilent)], path: "", client: nil)
  }

  /// The value of an address as an argument.
  package func argument(for address: Address) -> Argument? {
    switch address.kind {
    case .number(let parameter, _, _), .whole(let parameter, _, _),
      .choice(let parameter, _, _):
      address.argument(for: values[parameter])
    default: nil
    }
  }

  /// Answers a client, or nobody where the node asked itself.
  func reply(_ path: String, _ arguments: [Argument], to client: Client?) {
    guard let client, mayAnswer(client) else { return }
    send([UInt8](address: path, arguments), answering: client)
  }

  func answer(_ refusal: Refusal, to path: String, from client: Client?) {
    counters.errors += 1
    guard let client, mayAnswer(client) else { return }
    send(refusal.answer(to: path), answering: client)
  }

  /// Tells of what went wrong by itself: a client, and all who subscribe to errors or to the address.
  func report(_ refusal: Refusal, of path: String, to client: Client?) {
    counters.errors += 1
    var targets = Set(client.map(feedback.targets(for:)) ?? [])
    for path in ["/error", path] {
      guard let index = table.index(of: path) else { continue }
      feedback.subscriptions.forEach(wanting: index) { targets.insert($0) }
    }
    for target in targets { outlet?.send(refusal.answer(to: path), to: target) }
  }

  // Lets a packet, or what ended meanwhile, be answered anew.
  private func expectPacket() {
    answersLeft = Self.mostAnswers
    answerBytesLeft = Self.mostAnswerBytes
    snapshot.removeAll(keepingCapacity: true)
  }

  /// Whether a packet's subscriptions are still sent the value of an address: once, and as an answer.
  func mayShow(_ index: Int, to client: Client) -> Bool {
    !snapshot.contains(index) && mayAnswer(client) && snapshot.insert(index).inserted
  }

  /// Whether this packet is still answered; says so once where it is not.
  func mayAnswer(_ client: Client) -> Bool {
    guard answersLeft > 0 else { return false }
    answersLeft -= 1
    if answersLeft == 0 || answerBytesLeft <= 0 {
      answersLeft = 0
      counters.refused += 1
      let refusal = Refusal(
        .busy, "that asks for more than can be answered at once; the rest is left out")
      send(refusal.answer(to: ""), answering: client)
    }
    return answersLeft > 0
  }

  private func send(_ packet: [UInt8], answering client: Client) {
    for target in feedback.targets(for: client) { show(packet, at: target) }
  }

  /// Sends what a packet is answered with to a place.
  func show(_ packet: [UInt8], at target: Client) {
    answerBytesLeft -= packet.count
    outlet?.send(packet, to: target)
  }
}
