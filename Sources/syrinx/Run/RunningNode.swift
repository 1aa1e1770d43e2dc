internal import CRealtime
internal import Control
internal import Doors
internal import Drivers
internal import Dropouts
internal import Engine
internal import Glibc
internal import InstrumentFiles
internal import Library
internal import Posix

/// The running program: the node with its sound server, its sockets and its environment, all on the event
/// loop of the main thread.
///
/// It is used by the main thread only, which also works off the news of the sound server's thread.
final class RunningNode: @unchecked Sendable {
  // Time limits.
  private static let fadeMilliseconds = 500.0
  private static let firstBlockMilliseconds = 1000.0
  private static let managerMilliseconds = 2000.0
  private static let openingMilliseconds = 1000.0
  private static let writingMilliseconds = 5000.0
  private static let hardwareMilliseconds = 200.0

  private let options: RunOptions
  private let loop = EventLoop()
  private let signals: SystemSignals
  private let engine: Engine
  private let node: Node
  private let sound = SoundLink()
  private var startingState: StartingState?
  // News of the sound server's connections, from its own thread.
  private let news: Inbox
  // The data directory, which has the takes: a session has its own.
  private var home: String
  private let server: OSCServer
  private let web: WebDoor?
  private var keyPedals: [KeyPedal] = []
  private var link: LinkProgram?
  private var url: String?
  private var pairing: Pairing?
  private var files: [NodeFile] = []
  private var announcement: Announcement?
  private var session: SessionClient?
  private var isInSession = false
  private var standby: Standby?
  private var failure: Failure?
  private var wantsEnd = false
  private var statusLine: NodeStatusLine?

  init(_ options: RunOptions) throws(Failure) {
    self.options = options
    home = options.home
    signals = try .forTheEnd()
    news = try Failure.of(.fault, "", try Inbox())
    engine = Engine(sampleRate: 48_000, loops: options.loops)
    let presets = StoredFiles.presets(home: options.home)
    node = Node(
      name: options.name, engine: engine, soundServer: sound,
      table: AddressTable(loops: options.loops), presets: presets,
      home: options.home, musicFolders: options.musicFolders,
      instruments: InstrumentLibrary(
        shipped: presets.shipped, home: options.home, places: .usual(given: options.soundFonts)))
    // A session brings its own state.
    if Environment["NSM_URL"] == nil {
      startingState = try StartingState(options, for: node)
    } else {
      try StartingState.makeHome(options)
    }
    // A library that can't be created where nothing can be written needs no line of its own.
    let isSilent =
      !Files.isWritable(options.home) && !TakeLibrary.isThere(home: options.home)
    node[Takes.self].open { if !isSilent { Environment.say($0) } }
    node[Sessions.self].open { Environment.say($0) }
    node[Instruments.self].open { Environment.say($0) }
    if presets.shipped == nil {
      Environment.say(
        "the shipped presets are in none of "
          + "\(ShippedPresets.places.joined(separator: ", ")); "
          + "\(ShippedPresets.variable) can set their folder")
    }
    if rt_lock_memory() != RT_LOCKED_ALL {
      Environment.say(
        "memory is not locked, so audio may drop out while pages are read from disk; "
          + "`syrinx doctor` shows how to allow it")
    }
    if let line = options.memoryOfLoops { Environment.say(line) }
    for path in options.keys {
      keyPedals.append(
        try KeyPedal(path, on: loop) { [node] key, isDown in
          node[MIDI.self].press(key: key, isDown: isDown)
        })
    }
    server = try Self.listen(options, node, loop)
    web = try Self.openWeb(options, node, oscPort: server.port, loop)
    try Failure.of("--feedback") { () throws(Refusal) in
      for endpoint in options.feedback { try server.addPermanentSubscriber(endpoint) }
    }
  }

  func run() throws(Failure) {
    loop.watch(signals.descriptor) { [unowned self] in
      while signals.next() != nil { wantsEnd = true }
    }
    loop.watch(news.readable) { [news] in news.work() }
    if let place = options.gpsd { followReceiver(place) }
    if options.joinsLink { joinLink() }
    watchMachine()
    node[Rig.self].begin { [port = server.port] name in
      RigCensus.take(with: FoundNode(name: name, port: port)).nodes
    }
    node[Latency.self].whenRouteChanged = { [unowned self] in checkLoopback($0, $1) }
    if let url = Environment["NSM_URL"] {
      session = SessionClient(url: url, name: options.name, program: self)
    }
    if let session, session.announce(on: loop) {
      // Nothing plays before the manager's reply, but queries are answered.
      standby = try? Standby(engine)
      awaitManager(session)
    } else {
      try beginAlone()
    }
    while !wantsEnd && !node.isQuitting { runOnce() }
    end()
    if let failure { throw failure }
  }

  private func followReceiver(_ place: NodePlace) {
    let client = GPSClient(place) { [weak self] news in
      guard let self else { return }
      _ = self.news.leave { [unowned self] in
        switch news {
        case .fix(let place): node.follow(place, meters: GPSClient.leastMeters)
        case .line(let line): Environment.say(line)
        }
      }
    }
    client.start()
  }

  /// Warns of what will cost sound sooner or later.
  private func watchMachine() {
    let (machine, home) = (MachineReader(), home)
    node[Warnings.self].begin({ machine.state(home: home) }) { Environment.say($0) }
  }

  /// Measures the loopback cable of the present card again, if there is one.
  private func checkLoopback(_ route: SoundRoute, _ measured: MeasuredLatencies) {
    guard let cable = measured.cable(of: route.card) else { return }
    let check = LoopbackCheck(
      cable: cable, server: options.server, home: home, known: measured[route]?.extra
    ) { [weak self] outcome in
      guard let self else { return }
      _ = news.leave { [unowned self] in
        if let (entry, route) = outcome.found { node[Latency.self].use(entry, of: route) }
        if let line = outcome.line { Environment.say(line) }
      }
    }
    check.start()
  }

  private func joinLink() {
    let tempo = node[Tempo.self]
    let link = LinkProgram(
      tempo: tempo.own, quantum: tempo.beatsPerBar, engine: engine.shared
    ) { [weak self] news in
      guard let self else { return }
      _ = self.news.leave { [unowned self] in
        switch news {
        case .report(let report): node[Tempo.self].take(report)
        case .gone: node[Tempo.self].take(nil)
        case .line(let line): Environment.say(line)
        }
      }
    }
    self.link = link
    tempo.join(link)
    link.start()
  }

  private static func listen(
    _ options: RunOptions, _ node: Node, _ loop: EventLoop
  ) throws(Failure) -> OSCServer {
    do throws(SystemError) {
      do throws(SystemError) {
        return try OSCServer(port: options.port, access: options.access, node: node, loop: loop)
      } catch {
        // A session manager gives no options, and can have several nodes in a session.
        guard error.isAddressInUse, !options.isPortGiven, Environment["NSM_URL"] != nil else {
          throw error
        }
        return try OSCServer(port: 0, access: options.access, node: node, loop: loop)
      }
    } catch {
      throw .cannotListen(error, "can't listen for OSC on \(error); --port 0 uses a free port")
    }
  }

  private static func openWeb(
    _ options: RunOptions, _ node: Node, oscPort: UInt16, _ loop: EventLoop
  ) throws(Failure) -> WebDoor? {
    guard let wanted = options.web else { return nil }
    func open(_ home: String) throws(SystemError) -> WebDoor {
      try WebDoor(
        wanted, access: options.access, home: home, node: node, oscPort: oscPort, loop: loop)
    }
    func openWithSecrets() throws(SystemError) -> WebDoor {
      do throws(SystemError) { return try open(options.home) } catch {
        guard !Files.isWritable(options.home), error.isOfDisk || error.isDenied else { throw error }
        // The token and the certificates of this run only.
        let door = try open(try Files.makeTemporaryFolder("syrinx-web"))
        Environment.say(
          "the code to pair a phone is valid for this run only, because it can't be saved")
        return door
      }
    }
    let door = try system(try openWithSecrets()) {
      Failure.cannotListen(
        $0,
        $0.action.hasPrefix("port ")
          ? "can't serve the web page on \($0); --web sets another port, and 0 disables it"
          : "can't serve the web page: \($0)")
    }
    if door.port != wanted.port {
      Environment.say("port \(wanted.port) is in use; the web page is on port \(door.port)")
    }
    return door
  }

  private func beginAlone() throws(Failure) {
    if startingState == nil {
      // A session was expected.
      standby?.end()
      startingState = try StartingState(options, for: node)
    }
    startingState?.keep(node)
    try join(name: options.name)
    try startingState?.applyRest(of: options, to: node)
    // An instrument need not be complete, but able to play its first note.
    run(atMost: Self.openingMilliseconds) {
      !node.keeper.isOpening && !node[Instruments.self].isFirstUnderWay
    }
    awaitConnections()
    sayReady()
  }

  /// Waits for the mix to be connected, if it will be.
  private func awaitConnections() {
    guard options.connects || !node.keeper.connections.isEmpty, let link = sound.link else {
      return
    }
    run(atMost: Self.hardwareMilliseconds) { link.isHeard }
  }

  /// Waits for the first message of the manager.
  ///
  /// Without one, the node runs on its own.
  private func awaitManager(_ session: SessionClient) {
    run(atMost: Self.managerMilliseconds, step: 20) {
      session.isManaged || session.isRefused || wantsEnd
    }
    guard !session.isManaged, !wantsEnd else { return }
    Environment.say("no reply from the session manager at $NSM_URL; running without it")
    session.withdraw(from: loop)
    self.session = nil
    do throws(Failure) {
      try beginAlone()
    } catch {
      failure = error
      wantsEnd = true
    }
  }

  /// Runs the loop until a condition holds, or the time is up.
  private func run(atMost milliseconds: Double, step: Int = 1, until isDone: () -> Bool) {
    let deadline = HostTime.steady + milliseconds * 1e3
    while !isDone() && HostTime.steady < deadline { runOnce(atMost: step) }
  }

  /// Runs the loop once: until something is received or due, or the time is up.
  private func runOnce(atMost milliseconds: Int = 1000) {
    server.tick()
    session?.look(HostTime.steady)
    var due = min(milliseconds, node.tick(), web?.tick() ?? milliseconds)
    for pedal in keyPedals { due = min(due, pedal.look(HostTime.steady)) }
    loop.turn(milliseconds: min(due, statusLine?.look(node, sound.status) ?? due))
  }

  // MARK: - Sound

  /// Joins the JACK server under a name, or starts to wait for it if that is allowed.
  func join(name: String, awaitsServer: Bool = false) throws(Failure) {
    var configuration = JackLink.Configuration()
    configuration.name = name
    configuration.server = options.server
    configuration.connectsToHardware = options.connects
    configuration.connectedPorts = node.keeper.links.connectedPorts
    configuration.connections = node.keeper.connections
    do {
      let link = try JackLink(
        configuration, engine: engine, awaitsServer: awaitsServer,
        report: { Environment.say($0) },
        connectionsChanged: { [weak self] connections in
          guard let self else { return }
          _ = news.leave { [unowned self] in follow(connections) }
        }, portsChanged: { [news] in _ = news.leave {} })
      sound.link = link
      node.name = link.name
      standby?.end()
      standby = nil
    } catch let error as JackError {
      throw Failure(.unavailable, "\(error)")
    } catch {
      throw Failure(.fault, "\(error)")
    }
    // A node is ready when it has rendered a block.
    let framesBefore = engine.shared.frameCount
    run(atMost: Self.firstBlockMilliseconds) { engine.shared.frameCount != framesBefore }
    node[Tempo.self].resumeLeading()
  }

  /// Fades out and leaves the JACK server.
  func leaveServer() {
    guard sound.link != nil else { return }
    var isSilent = false
    node.leave { isSilent = true }
    run(atMost: Self.fadeMilliseconds) { isSilent }
    sound.link?.end()
    sound.link = nil
    standby = try? Standby(engine)
  }

  // MARK: - Beginning and end

  /// Reports that the node is ready: on standard output, to the service manager, and on the
  /// network.
  func sayReady() {
    if options.sessionMinutes > 0 { node[Sessions.self].keepLast(minutes: options.sessionMinutes) }
    let host = options.access.isOpen ? IPAddress.likelyForOthers : .loopback4
    let url = "osc.udp://\(Endpoint(address: host, port: server.port))"
    // On this machine, browsers trust HTTP.
    let scheme = options.access.isOpen && options.web?.isSecure ?? false ? "https" : "http"
    let page = web.map { "\(scheme)://\(Endpoint(address: host, port: $0.port))/" }
    tellName(url, page: page)
    let status = sound.status
    Environment.announce(
      "ready name=\(node.name) rate=\(status.rate) block=\(status.block) osc=\(url) "
        + (page.map { "web=\($0) " } ?? "") + "home=\(home)")
    Environment.notifyServiceManager("READY=1\nSTATUS=Playing as \(node.name) on \(url)")
    announcement = Announcement(
      name: node.name, port: server.port, webPort: web?.port, isOpen: options.access.isOpen)
    if let page { showPairing(page) }
    if web?.isAuthorityNew ?? false, let fingerprint = web?.fingerprint, let port = web?.port {
      Environment.say(
        "a new certificate authority: install http://\(Endpoint(address: host, port: port))/certificate "
          + "on phones; its fingerprint (SHA-256) is \(fingerprint)")
    }
    if sound.link?.isHeard ?? false { node[Greeting.self].play() }
    statusLine = statusLine ?? NodeStatusLine()
  }

  /// Writes the URL and the pairing file of the node.
  private func tellName(_ url: String, page: String?) {
    for file in files { file.remove() }
    self.url = url
    let urlFile = NodeFile.folder.flatMap {
      NodeFile(
        "\(node.name).url", in: $0, url + "\n", mode: 0o644, "the node runs without it")
    }
    pairing = page.map {
      Pairing(
        page: $0, tokenPath: web?.token?.path, oscPort: server.port,
        fingerprint: options.access.isOpen ? web?.fingerprint : nil)
    }
    let pairingFile = pairing?.write(name: node.name, home: options.home)
    files = [urlFile, pairingFile].compactMap(\.self)
  }

  /// Moves these files to the node's new name.
  func tellNewName() {
    if let url { tellName(url, page: pairing?.page) }
  }

  /// Shows on a terminal how to pair a phone.
  ///
  /// The token must not get into a log.
  private func showPairing(_ page: String) {
    guard options.access.isOpen else { return }
    guard let pairing, Environment.isWatched else {
      Environment.say(
        web?.token == nil
          ? "anyone on this network can play at \(page)"
          : "`syrinx web` shows the code to pair a phone; the page is at \(page)")
      return
    }
    for line in pairing.lines { Environment.say(line) }
  }

  private func end() {
    BottomLine.close()
    statusLine = nil
    Environment.notifyServiceManager("STOPPING=1")
    // First: the service manager may not wait for the rest.
    node.keeper.saveState()
    node.endRequests()
    announcement?.end()
    link?.end()
    web?.end()
    leaveServer()
    // The capture includes the fade.
    node[Captures.self].end()
    node[Sessions.self].endAll()
    node.keeper.saveState()
    node[LoopPersistence.self].close()
    awaitWriting()
    standby?.end()
    // Nothing renders from here on: the song that the engine reads is freed with the node.
    _ = engine.takeOver(sampleRate: Double(engine.shared.sampleRate))
    for file in files { file.remove() }
  }

  /// Waits until all writes are done.
  private func awaitWriting() {
    run(atMost: Self.writingMilliseconds) { !node.isWriting }
  }

  // MARK: - Sessions

  /// The state of the node for a session.
  var sessionState: NodeState { node.keeper.sessionState }

  /// The count of changes to that state.
  var stateChanges: Int { node.keeper.stateChanges }

  /// Leaves the sound server for a session that keeps its takes in a folder.
  ///
  /// Returns a line for each part of its state that can't be applied.
  func beginSession(_ state: NodeState, in folder: String) -> [String] {
    if !isInSession,
      options.preset != nil || !options.settings.isEmpty || options.location != nil
        || options.isFresh
    {
      Environment.say(
        "--preset, --set, --location and --fresh have no effect under a session manager: "
          + "the state is that of the "
          + "session")
    }
    isInSession = true
    leaveServer()
    node[Captures.self].end()
    node[Sessions.self].endAll()
    node.keeper.saveState()
    node.endRequests()
    awaitWriting()
    node.keeper.beginSession()
    if !options.isHomeGiven, folder != home {
      home = folder
      StartingState.upgrade(folder)
      node.moveTakes(to: folder) { Environment.say($0) }
    }
    return node.keeper.resumeSession(state)
  }

  /// Waits for the instrument of a session.
  func awaitInstrument() {
    run(atMost: Self.openingMilliseconds) {
      !node.keeper.isOpening && !node[Instruments.self].isUnderWay
    }
  }

  private func follow(_ connections: [SoundConnection]) {
    // The manager keeps those of a session.
    if session == nil { node.keeper.connections = connections }
  }
}

/// The sound server as the node sees it: the present link, if there is one.
private final class SoundLink: SoundServer, @unchecked Sendable {
  // Main thread only.
  var link: JackLink? {
    didSet { portChanges += 1 + (oldValue?.status.portChanges ?? 0) }
  }
  // Those of former links: each link counts from 0.
  private var portChanges = 0

  var status: SoundServerStatus {
    var status = link?.status ?? SoundServerStatus()
    status.portChanges += portChanges
    return status
  }

  var ports: [SoundPort] { link?.ports ?? [] }

  var route: SoundRoute? { link?.route }

  var lostBlocks: [LostBlock] { link?.lostBlocks ?? [] }

  func leadTransport(_ leads: Bool) { link?.leadTransport(leads) }
}
