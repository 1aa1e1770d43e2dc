internal import Control
internal import OSC
internal import Posix

/// A client of the New Session Manager, which decides when to join the JACK server, under which
/// name, and where to save the settings.
///
/// Headless, therefore without `:optional-gui:`. It can switch sessions while it runs.
final class SessionClient {
  // The client's capabilities in API 1.1 of the protocol.
  private static let capabilities = ":dirty:switch:"
  private static let generalError: Int32 = -1
  private static let noSession: Int32 = -6
  private static let badProject: Int32 = -9
  private static let createFailed: Int32 = -10
  // The interval between checks for changes, in microseconds.
  private static let lookPeriod = 250_000.0

  private let manager: OSCPeer
  private let socket: Descriptor
  private unowned let program: RunningNode
  private let name: String
  private var folder: String?
  private var isReady = false
  private var isOpening = false
  private var saved = ""
  private var isDirty = false
  private var changesSeen = 0
  private var nextLook = 0.0

  /// Nil if the URL is invalid: the node then runs as if without a manager.
  init?(url: String, name: String, program: RunningNode) {
    // Any other sender could open a session, and make the node write anywhere.
    guard let place = NodePlace(url), let manager = try? OSCPeer(place, isExclusive: true),
      let socket = manager.socket?.descriptor
    else { return nil }
    self.manager = manager
    self.socket = socket
    self.program = program
    self.name = name
    manager.whenReceived = { [unowned self] in take($0, $1) }
  }

  /// Whether the manager has accepted or rejected the node.
  private(set) var isManaged = false
  private(set) var isRefused = false

  /// Announces the node to the manager.
  ///
  /// Returns false if the message could not be sent.
  func announce(on loop: EventLoop) -> Bool {
    loop.watch(socket) { [unowned self] in
      // Joining the server runs the event loop: messages that arrive meanwhile wait.
      guard !isOpening else { return }
      while manager.receive(milliseconds: 0) {}
    }
    return manager.send(
      "/nsm/server/announce", .string(name), .string(Self.capabilities),
      .string(CommandLine.arguments[0]), .int32(1), .int32(1), .int32(Environment.processID))
  }

  /// Stops listening to the manager.
  func withdraw(from loop: EventLoop) { loop.forget(socket) }

  private func take(_ path: String, _ arguments: [Argument]) {
    let texts = arguments.map { $0.text ?? "" }
    switch (path, String(arguments.map(\.tag))) {
    case ("/reply", _) where texts.first == "/nsm/server/announce": isManaged = true
    case ("/nsm/client/open", "sss"): open(folder: texts[0], clientName: texts[2])
    case ("/nsm/client/save", ""): save()
    case ("/error", "sis") where texts[0] == "/nsm/server/announce":
      Environment.say("the session manager refused the node: \(texts[2])")
      isRefused = true
    default: break
    }
  }

  private var file: String? { folder.map { $0 + "/session" } }

  private func open(folder: String, clientName: String) {
    isManaged = true
    isOpening = true
    defer { isOpening = false }
    // The manager has switched to this session: a save would go into another one's folder.
    self.folder = nil
    let state: NodeState
    do throws(SystemError) {
      try Files.makeFolder(folder)
    } catch {
      fail("/nsm/client/open", Self.createFailed, "can't use the session folder: \(error)")
      return
    }
    do throws(NodeState.Fault) {
      state = try StateFile.read(folder + "/session") ?? NodeState()
    } catch {
      fail("/nsm/client/open", Self.badProject, "\(error)")
      return
    }
    for refusal in program.beginSession(state, in: folder) {
      Environment.say("in the session: \(refusal)")
    }
    // Later changes are not saved yet: joining lets other clients send messages.
    saved = program.sessionState.text
    do throws(Failure) {
      try program.join(name: clientName, awaitsServer: true)
    } catch {
      fail("/nsm/client/open", Self.generalError, error.message)
      return
    }
    program.awaitInstrument()
    if isReady {
      program.tellNewName()
    } else {
      isReady = true
      program.sayReady()
    }
    self.folder = folder
    succeed("/nsm/client/open", "opened \(clientName)")
    tellClean()
    // The next check reports whether there are any.
    changesSeen = -1
  }

  private func save() {
    guard let file else {
      fail("/nsm/client/save", Self.noSession, "no session is open")
      return
    }
    let text = program.sessionState.text
    do throws(SystemError) {
      try Files.write(text, to: file)
      saved = text
      tellClean()
      succeed("/nsm/client/save", "saved")
    } catch {
      fail("/nsm/client/save", Self.generalError, "can't save: \(error)")
    }
  }

  /// Reports to the manager whether there are unsaved changes.
  func look(_ now: Double) {
    guard folder != nil, !isOpening, now >= nextLook, program.stateChanges != changesSeen
    else { return }
    nextLook = now + Self.lookPeriod
    changesSeen = program.stateChanges
    let differs = program.sessionState.text != saved
    guard differs != isDirty else { return }
    isDirty = differs
    manager.send(differs ? "/nsm/client/is_dirty" : "/nsm/client/is_clean")
  }

  private func tellClean() {
    if isDirty { manager.send("/nsm/client/is_clean") }
    isDirty = false
  }

  private func succeed(_ path: String, _ text: String) {
    manager.send("/reply", .string(path), .string(text))
  }

  private func fail(_ path: String, _ code: Int32, _ text: String) {
    manager.send("/error", .string(path), .int32(code), .string(text))
  }
}
