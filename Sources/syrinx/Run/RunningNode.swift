internal import CRealtime
internal import Control
internal import Engine
internal import Glibc
internal import JackClient
internal import Posix
internal import Takes

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
  private let server: OSCServer
  private var urlFile: URLFile?
  private var announcement: Announcement?
  private var session: SessionClient?
  private var standby: Standby?
  private var failure: Failure?
  private var wantsEnd = false

  init(_ options: RunOptions) throws(Failure) {
    self.options = options
    do throws(SystemError) {
      signals = try SystemSignals([SIGINT, SIGTERM, SIGHUP])
    } catch {
      throw Failure(.fault, "\(error)")
    }
    engine = Engine(sampleRate: 48_000)
    let presets = StoredFiles.presets(home: options.home)
    node = Node(
      name: options.name, engine: engine, soundServer: sound, presets: presets,
      home: options.home, musicFolders: options.musicFolders,
      instruments: StoredFiles.instruments(home: options.home, fonts: options.soundFonts))
    if let preset = options.preset { try StoredFiles.load(preset, into: node) }
    do throws(Refusal) {
      for setting in options.settings where !Self.isForLater(setting, node) {
        try node.set(setting)
      }
    } catch {
      throw Failure(.usage, "--set: \(error.message)")
    }
    do throws(SystemError) {
      try Files.makeFolder(options.home)
    } catch {
      throw Failure(.cannotWrite, "can't use the home folder \(options.home): \(error)")
    }
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
    do throws(SystemError) {
      server = try OSCServer(port: options.port, access: options.access, node: node, loop: loop)
    } catch {
      throw Failure(
        error.isAddressInUse ? .unavailable : .notPermitted,
        "can't listen for OSC on \(error); --port 0 takes a free one")
    }
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

  /// Whether a setting is one that must know the server's rate: what is on from the start on.
  private static func isForLater(_ setting: String, _ node: Node) -> Bool {
    node.table[String(setting.prefix { $0 != "=" })]?.isToggle == true
  }

  private func beginAlone() throws(Failure) {
    try join(name: options.name)
    do throws(Refusal) {
      for setting in options.settings where Self.isForLater(setting, node) {
        try node.set(setting)
      }
    } catch {
      throw Failure(.usage, "--set: \(error.message)")
    }
    let deadline = HostTime.steady + Self.openingMilliseconds * 1e3
    while (node.isOpening || node.awaitsInstrument) && HostTime.steady < deadline {
      turn(atMost: 1)
    }
    awaitHardware()
    sayReady()
  }

  /// Waits a moment for the machine's own outputs, where those were asked for.
  private func awaitHardware() {
    guard options.connects, let link = sound.link else { return }
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
    loop.turn(milliseconds: min(milliseconds, node.tick()))
  }

  // MARK: - Sound

  /// Joins the JACK server under a name, or begins to wait for it where that is allowed.
  func join(name: String, awaitsServer: Bool = false) throws(Failure) {
    var configuration = JackLink.Configuration()
    configuration.name = name
    configuration.server = options.server
    configuration.connectsToHardware = options.connects
    do {
      let link = try JackLink(configuration, engine: engine, awaitsServer: awaitsServer) {
        Environment.say($0)
      }
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
    let host = options.access.isOpen ? Self.hostForOthers : .loopback4
    let url = "osc.udp://\(Endpoint(address: host, port: server.port))"
    tellName(url)
    let status = sound.status
    Environment.print(
      "ready name=\(node.name) rate=\(status.rate) block=\(status.block) osc=\(url) "
        + "home=\(options.home)\n")
    Environment.notifyServiceManager("READY=1\nSTATUS=Playing as \(node.name) on \(url)")
    announcement = Announcement(
      name: node.name, port: server.port, isOpen: options.access.isOpen)
    node.greet(isHeard: sound.link?.isHeard ?? false)
  }

  /// The address under which other machines most likely see this one.
  private static var hostForOthers: IPAddress {
    let own = IPAddress.ofThisMachine.filter { !$0.isLoopback }
    return own.first { $0.isVersion4 } ?? own.first ?? .loopback4
  }

  /// Writes where the node listens into the file of its name.
  private func tellName(_ url: String) {
    urlFile?.remove()
    urlFile = URLFile(name: node.name, url: url)
  }

  /// Follows a new name.
  func tellNewName() {
    if let url = urlFile?.url { tellName(url) }
  }

  private func end() {
    Environment.notifyServiceManager("STOPPING=1")
    announcement?.end()
    leaveServer()
    // With the fade.
    node.endCapture()
    // What was taken on to be kept is kept.
    let deadline = HostTime.steady + Self.writingMilliseconds * 1e3
    while node.isWriting && HostTime.steady < deadline { turn(atMost: 1) }
    standby?.end()
    // Nobody renders from here on: what the engine reads of a song goes with the node.
    _ = engine.takeOver(sampleRate: Double(engine.shared.sampleRate))
    urlFile?.remove()
  }

  // MARK: - Sessions

  /// The settings of the node, to be kept.
  var settings: [String] { node.settings }

  /// Follows settings that were kept; returns the lines that could not be followed.
  func restore(_ settings: [String]) -> [String] {
    var refused: [String] = []
    for setting in settings {
      do throws(Refusal) {
        try node.set(setting)
      } catch {
        refused.append(error.message)
      }
    }
    return refused
  }

  /// Puts every address at its initial value.
  func reset() {
    for address in node.table.addresses {
      guard let initial = address.initial else { continue }
      try? node.perform(address.path, [address.argument(for: initial)])
    }
    node.forgetPreset()
  }
}

/// The sound server as the node asks for it: whatever link there is at the moment.
private final class SoundLink: SoundServer, @unchecked Sendable {
  // Only the main thread sets and asks.
  var link: JackLink?

  var status: SoundServerStatus {
    var status = SoundServerStatus()
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
    return status
  }

  func leadTransport(_ leads: Bool) { link?.leadTransport(leads) }
}
