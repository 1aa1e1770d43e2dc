internal import CRealtime
internal import Control
internal import Doors
internal import Drivers
internal import Engine
internal import Glibc
internal import Library
internal import Posix

/// The running program: the node with its server, its sockets and its surroundings, all on the
/// main thread's loop.
final class RunningNode {
  // How long the fade at the end may take until the program ends without it.
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
  private var former: FormerState?
  private let connectionNews: ConnectionNews
  // Where takes are kept: a session has a folder of its own.
  private var home: String
  private let server: OSCServer
  private let web: WebDoor?
  private var keyPedals: [KeyPedal] = []
  private var urlFile: URLFile?
  private var pairingFile: PairingFile?
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
    do throws(SystemError) {
      signals = try SystemSignals([SIGINT, SIGTERM, SIGHUP])
      connectionNews = try ConnectionNews()
    } catch {
      throw Failure(.fault, "\(error)")
    }
    engine = Engine(sampleRate: 48_000, loops: options.loops)
    let presets = StoredFiles.presets(home: options.home)
    node = Node(
      name: options.name, engine: engine, soundServer: sound,
      table: AddressTable(loops: options.loops), presets: presets,
      home: options.home, musicFolders: options.musicFolders,
      instruments: StoredFiles.instruments(home: options.home, fonts: options.soundFonts))
    // A session has its own; and a folder that is still to be made has nothing to resume.
    let resumes = Environment["NSM_URL"] == nil
    let isThere = Files.isFolder(options.home)
    if resumes, isThere { former = FormerState(options, resuming: node) }
    if resumes { try Self.follow(options, node) }
    do throws(SystemError) {
      try Files.makeFolder(options.home)
    } catch {
      throw Failure(.cannotWrite, "can't use the home folder \(options.home): \(error)")
    }
    if resumes, !isThere { former = FormerState(options, resuming: node) }
    Self.openLoops(former, options, node)
    node.openLibrary { Environment.say($0) }
    node.openInstruments { Environment.say($0) }
    if presets.shipped == nil {
      Environment.say(
        "the presets that come with the program are in none of "
          + "\(ShippedPresets.places.joined(separator: ", ")); "
          + "\(ShippedPresets.variable) can name their folder")
    }
    if rt_lock_memory() != RT_LOCKED_ALL {
      Environment.say(
        "memory is not locked, so that sound may stop while pages come back from disk; "
          + "`syrinx doctor` tells how to allow it")
    }
    for path in options.keys {
      keyPedals.append(
        try KeyPedal(path, on: loop) { [node] key, isDown in node.press(key: key, isDown: isDown) })
    }
    server = try Self.listen(options, node, loop)
    web = try Self.openWeb(options, node, oscPort: server.port, loop)
    do throws(Refusal) {
      for endpoint in options.feedback { try server.addPermanentSubscriber(endpoint) }
    } catch {
      throw Failure(.usage, "--feedback: \(error.message)")
    }
  }

  func run() throws(Failure) {
    loop.watch(signals.descriptor) { [unowned self] in
      while signals.next() != nil { wantsEnd = true }
    }
    loop.watch(connectionNews.readable) { [unowned self] in followConnections() }
    if let url = Environment["NSM_URL"] {
      session = SessionClient(url: url, name: options.name, program: self)
    }
    if let session, session.announce(on: loop) {
      // Nobody plays before the manager says so, but what is asked is answered.
      standby = try? Standby(engine)
      awaitManager(session)
    } else {
      try beginAlone()
    }
    while !wantsEnd && !node.isQuitting { turn() }
    end()
    if let failure { throw failure }
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
      throw Failure(
        error.isAddressInUse ? .unavailable : .notPermitted,
        "can't listen for OSC on \(error); --port 0 takes a free one")
    }
  }

  private static func openWeb(
    _ options: RunOptions, _ node: Node, oscPort: UInt16, _ loop: EventLoop
  ) throws(Failure) -> WebDoor? {
    guard let wanted = options.web else { return nil }
    do throws(SystemError) {
      let door = try WebDoor(
        wanted, access: options.access, home: options.home, node: node, oscPort: oscPort,
        loop: loop)
      if door.port != wanted.port {
        Environment.say("port \(wanted.port) is taken; the page is at port \(door.port)")
      }
      return door
    } catch {
      throw Failure(
        error.isAddressInUse ? .unavailable : .notPermitted,
        "can't open the page on \(error); --web takes another port, and 0 is none")
    }
  }

  /// Sets what the command line asks for, on top of what was.
  private static func follow(_ options: RunOptions, _ node: Node) throws(Failure) {
    if let preset = options.preset { try StoredFiles.load(preset, into: node) }
    do throws(Refusal) {
      for setting in options.settings where !isForLater(setting, node) { try node.set(setting) }
    } catch {
      throw Failure(.usage, "--set: \(error.message)")
    }
  }

  /// Whether a setting is one that must know the server's rate: what is on from the start on.
  private static func isForLater(_ setting: String, _ node: Node) -> Bool {
    node.table[String(setting.prefix { $0 != "=" })]?.isProcess == true
  }

  /// Puts the loops of before into the engine, where this node is the one that keeps them.
  private static func openLoops(_ former: FormerState?, _ options: RunOptions, _ node: Node) {
    guard former?.isKept == true else { return }
    node.openLoops(home: options.home, name: options.name, forgetting: options.isFresh) {
      Environment.say($0)
    }
  }

  private func beginAlone() throws(Failure) {
    if former == nil {
      // There should have been a session.
      former = FormerState(options, resuming: node)
      try Self.follow(options, node)
      standby?.end()
      Self.openLoops(former, options, node)
    }
    former?.begin(node)
    try join(name: options.name)
    do throws(Refusal) {
      for setting in options.settings where Self.isForLater(setting, node) {
        try node.set(setting)
      }
    } catch {
      throw Failure(.usage, "--set: \(error.message)")
    }
    let deadline = HostTime.steady + Self.openingMilliseconds * 1e3
    // Of the instrument no more than what a first note needs.
    while (node.isOpening || node.awaitsInstrument) && HostTime.steady < deadline {
      turn(atMost: 1)
    }
    awaitConnections()
    sayReady()
  }

  /// Waits a moment for the mix to be connected, where it shall be.
  private func awaitConnections() {
    guard options.connects || !node.connections.isEmpty, let link = sound.link else { return }
    let deadline = HostTime.steady + Self.hardwareMilliseconds * 1e3
    while !link.isHeard && HostTime.steady < deadline { turn(atMost: 1) }
  }

  /// Waits for the manager's first word; without one, the node is on its own.
  private func awaitManager(_ session: SessionClient) {
    let deadline = HostTime.steady + Self.managerMilliseconds * 1e3
    while !session.isManaged && !session.isRefused && !wantsEnd && HostTime.steady < deadline {
      turn(atMost: 20)
    }
    guard !session.isManaged, !wantsEnd else { return }
    Environment.say("no session manager answers at $NSM_URL; running without it")
    session.withdraw(from: loop)
    self.session = nil
    do throws(Failure) {
      try beginAlone()
    } catch {
      failure = error
      wantsEnd = true
    }
  }

  private func turn(atMost milliseconds: Int = 1000) {
    server.tick()
    session?.look(HostTime.steady)
    var due = min(milliseconds, node.tick(), web?.tick() ?? milliseconds)
    for pedal in keyPedals { due = min(due, pedal.look(HostTime.steady)) }
    loop.turn(milliseconds: min(due, statusLine?.look(node, sound.status) ?? due))
  }

  // MARK: - Sound

  /// Joins the JACK server under a name, or begins to wait for it where that is allowed.
  func join(name: String, awaitsServer: Bool = false) throws(Failure) {
    var configuration = JackLink.Configuration()
    configuration.name = name
    configuration.server = options.server
    configuration.connectsToHardware = options.connects
    configuration.connectedPorts = node.connectedPorts
    configuration.connections = node.connections.map {
      JackConnection(own: $0.own, other: $0.other)
    }
    do {
      let link = try JackLink(
        configuration, engine: engine, awaitsServer: awaitsServer,
        report: { Environment.say($0) },
        connectionsChanged: { [connectionNews] in connectionNews.tell($0) },
        portsChanged: { [connectionNews] in connectionNews.wake() })
      sound.link = link
      node.name = link.name
      standby?.end()
      standby = nil
    } catch let error as JackError {
      throw Failure(.unavailable, "\(error)")
    } catch {
      throw Failure(.fault, "\(error)")
    }
    // Ready means that it has sounded.
    let deadline = HostTime.steady + Self.firstBlockMilliseconds * 1e3
    let framesBefore = engine.shared.frameCount
    while engine.shared.frameCount == framesBefore && HostTime.steady < deadline {
      turn(atMost: 1)
    }
    node.resumeLeading()
  }

  /// Fades out and leaves the JACK server.
  func leaveServer() {
    guard sound.link != nil else { return }
    var isSilent = false
    node.leave { isSilent = true }
    let deadline = HostTime.steady + Self.fadeMilliseconds * 1e3
    while !isSilent && HostTime.steady < deadline { turn(atMost: 1) }
    sound.link?.end()
    sound.link = nil
    standby = try? Standby(engine)
  }

  // MARK: - Beginning and end

  /// Tells everyone who waits for it that the node can be played.
  func sayReady() {
    let host = options.access.isOpen ? IPAddress.likelyForOthers : .loopback4
    let url = "osc.udp://\(Endpoint(address: host, port: server.port))"
    let page = web.map { "http://\(Endpoint(address: host, port: $0.port))/" }
    tellName(url, page: page)
    let status = sound.status
    Environment.announce(
      "ready name=\(node.name) rate=\(status.rate) block=\(status.block) osc=\(url) "
        + (page.map { "web=\($0) " } ?? "") + "home=\(home)")
    Environment.notifyServiceManager("READY=1\nSTATUS=Playing as \(node.name) on \(url)")
    announcement = Announcement(
      name: node.name, port: server.port, webPort: web?.port, isOpen: options.access.isOpen)
    if let page { showPairing(page) }
    node.greet(isHeard: sound.link?.isHeard ?? false)
    statusLine = statusLine ?? NodeStatusLine()
  }

  /// Writes where the node listens into the files of its name.
  private func tellName(_ url: String, page: String?) {
    urlFile?.remove()
    urlFile = URLFile(name: node.name, url: url)
    pairingFile?.remove()
    pairingFile = page.flatMap {
      PairingFile(
        name: node.name, home: options.home,
        Pairing(page: $0, tokenPath: web?.token?.path, oscPort: server.port))
    }
  }

  /// Moves the URL files to the node's new name.
  func tellNewName() {
    if let url = urlFile?.url { tellName(url, page: pairingFile?.pairing.page) }
  }

  /// Shows on a terminal how a phone comes in; who reads a log has no business with the token.
  private func showPairing(_ page: String) {
    guard options.access.isOpen else { return }
    guard let pairing = pairingFile?.pairing, Environment.isWatched else {
      Environment.say(
        web?.token == nil
          ? "everybody on this network can play at \(page)"
          : "a phone is paired by what `syrinx web` shows; the page is at \(page)")
      return
    }
    for line in pairing.lines { Environment.say(line) }
  }

  private func end() {
    statusLine?.end()
    statusLine = nil
    Environment.notifyServiceManager("STOPPING=1")
    // First of all: whoever says so may not wait for the rest.
    node.saveState()
    announcement?.end()
    web?.end()
    leaveServer()
    // With the fade.
    node.endCapture()
    node.saveState()
    node.closeLoops()
    awaitWriting()
    standby?.end()
    // Nobody renders from here on: what the engine reads of a song goes with the node.
    _ = engine.takeOver(sampleRate: Double(engine.shared.sampleRate))
    urlFile?.remove()
    pairingFile?.remove()
  }

  /// Waits until the disk has what is being written.
  private func awaitWriting() {
    let deadline = HostTime.steady + Self.writingMilliseconds * 1e3
    while node.isWriting && HostTime.steady < deadline { turn(atMost: 1) }
  }

  // MARK: - Sessions

  /// The node's state as a session keeps it.
  var sessionState: NodeState { node.sessionState }

  /// The count of changes to that state.
  var stateChanges: Int { node.stateChanges }

  /// Leaves the sound server, and whatever was before, for a session that keeps its takes in a
  /// folder; returns lines for what of its state can't be followed.
  func beginSession(_ state: NodeState, in folder: String) -> [String] {
    if !isInSession, options.preset != nil || !options.settings.isEmpty || options.isFresh {
      Environment.say(
        "--preset, --set and --fresh are for a node without a session manager: all is as in the "
          + "session")
    }
    isInSession = true
    leaveServer()
    node.endCapture()
    node.saveState()
    awaitWriting()
    node.beginSession()
    if !options.isHomeGiven, folder != home {
      home = folder
      node.moveTakes(to: folder) { Environment.say($0) }
    }
    return node.resumeSession(state)
  }

  /// Waits a moment for the instrument that a session plays.
  func awaitInstrument() {
    let deadline = HostTime.steady + Self.openingMilliseconds * 1e3
    while (node.isOpening || node.isChangingInstrument) && HostTime.steady < deadline {
      turn(atMost: 1)
    }
  }

  private func followConnections() {
    // Those of a session are its manager's.
    guard let connections = connectionNews.take(), session == nil else { return }
    node.connections = connections.map { NodeState.Connection(own: $0.own, other: $0.other) }
  }
}

/// The sound server as the node sees it: whatever link there is at the moment.
private final class SoundLink: SoundServer, @unchecked Sendable {
  // Only the main thread sets and asks.
  var link: JackLink? {
    didSet { portChanges += 1 + (oldValue?.status.portChanges ?? 0) }
  }
  // Those of links that have ended: another one's count begins anew.
  private var portChanges = 0

  var status: SoundServerStatus {
    var status = SoundServerStatus()
    status.portChanges = portChanges
    guard let now = link?.status else { return status }
    status.isRunning = now.isRunning
    status.rate = now.rate
    status.block = now.block
    status.load = now.load
    status.xruns = now.xruns
    status.longestXrun = now.longestXrun
    status.lead =
      switch now.lead {
      case .no: .no
      case .asked: .asked
      case .yes: .yes
      case .denied: .denied
      }
    status.portChanges += now.portChanges
    return status
  }

  var ports: [SoundPort] {
    (link?.ports ?? []).map {
      SoundPort(
        name: $0.name, isMIDI: $0.isMIDI, isInput: $0.isInput, connections: $0.connections)
    }
  }

  func leadTransport(_ leads: Bool) { link?.leadTransport(leads) }
}
