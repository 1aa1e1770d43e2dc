internal import Control
internal import Glibc
internal import OSC
internal import Posix

/// A client of the New Session Manager: told when to join the JACK server, under which name, and
/// where to keep its settings.
///
/// Headless, therefore without `:optional-gui:`. It can be switched to another session while it
/// runs.
final class SessionClient {
  // API 1.1 of the protocol; errors as it numbers them.
  private static let capabilities = ":dirty:switch:"
  private static let generalError: Int32 = -1
  private static let noSession: Int32 = -6
  private static let badProject: Int32 = -9
  private static let createFailed: Int32 = -10
  // How often to look whether something has changed, in microseconds.
  private static let lookPeriod = 250_000.0

  private let manager: LibloPeer
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

  /// Nil where the URL is none: then the node runs as if there were no manager.
  init?(url: String, name: String, program: RunningNode) {
    guard let manager = LibloPeer(url: url),
      let socket = try? Descriptor(dup(manager.descriptor), orThrow: "socket")
    else { return nil }
    self.manager = manager
    self.socket = socket
    self.program = program
    self.name = name
    // Who else could open a session would write wherever it liked.
    manager.takeOnlyOwn()
    manager.whenReceived = { [unowned self] in take($0, $1) }
  }

  /// Whether the manager has taken the node on, or turned it away.
  private(set) var isManaged = false
  private(set) var isRefused = false

  /// Tells the manager that the node is here; false where that could not be sent.
  func announce(on loop: EventLoop) -> Bool {
    loop.watch(socket) { [unowned self] in
      // Joining the server lets the loop turn: what comes meanwhile waits for its end.
      guard !isOpening else { return }
      while manager.receive(milliseconds: 0) {}
    }
    return manager.send(
      "/nsm/server/announce", .string(name), .string(Self.capabilities),
      .string(CommandLine.arguments[0]), .int32(1), .int32(1), .int32(Environment.processID))
  }

  /// Stops to listen to the manager.
  func withdraw(from loop: EventLoop) { loop.forget(socket) }

  private func take(_ path: String, _ arguments: [Argument]) {
    let texts = arguments.map { $0.text ?? "" }
    switch (path, String(arguments.map(\.tag))) {
    case ("/reply", _) where texts.first == "/nsm/server/announce": isManaged = true
    case ("/nsm/client/open", "sss"): open(folder: texts[0], clientName: texts[2])
    case ("/nsm/client/save", ""): save()
    case ("/error", "sis") where texts[0] == "/nsm/server/announce":
      Environment.say("the session manager refuses the node: \(texts[2])")
      isRefused = true
    default: break
    }
  }

  private var file: String? { folder.map { $0 + "/session" } }

  private func open(folder: String, clientName: String) {
    isManaged = true
    isOpening = true
    defer { isOpening = false }
    // The manager has gone over to this one: what is saved would go into the folder of another.
    self.folder = nil
    let state: NodeState
    do throws(SystemError) {
      try Files.makeFolder(folder)
    } catch {
      fail("/nsm/client/open", Self.createFailed, "can't use the session's folder: \(error)")
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
    // What is changed from here on is not in it: joining lets others talk.
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
    if isDirty { manager.send("/nsm/client/is_clean") }
    isDirty = false
    // The next look tells where that is not so.
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
      if isDirty { manager.send("/nsm/client/is_clean") }
      isDirty = false
      succeed("/nsm/client/save", "saved")
    } catch {
      fail("/nsm/client/save", Self.generalError, "can't save: \(error)")
    }
  }

  /// Tells the manager when there is something to be saved, or no longer.
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

  private func succeed(_ path: String, _ text: String) {
    manager.send("/reply", .string(path), .string(text))
  }

  private func fail(_ path: String, _ code: Int32, _ text: String) {
    manager.send("/error", .string(path), .int32(code), .string(text))
  }
}
