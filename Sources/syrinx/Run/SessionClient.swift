internal import CLiblo
internal import Control
internal import Glibc
internal import Posix

/// A client of the New Session Manager: told when to join the JACK server, under which name, and
/// where to keep its settings.
///
/// Headless, therefore without `:optional-gui:`. It can be switched to another session while it
/// runs.
final class SessionClient {
  // API 1.1 of the protocol; errors as it numbers them.
  private static let capabilities = ":switch:"
  private static let generalError: Int32 = -1
  private static let createFailed: Int32 = -10

  private let manager: lo_address
  private let server: lo_server
  private let socket: Descriptor
  private unowned let program: RunningNode
  private let name: String
  private var folder: String?
  private var isReady = false
  private var isOpening = false

  /// Nil where the URL is none: then the node runs as if there were no manager.
  init?(url: String, name: String, program: RunningNode) {
    guard let manager = lo_address_new_from_url(url),
      let server = lo_server_new_with_proto(nil, lo_address_get_protocol(manager), nil),
      let socket = try? Descriptor(dup(lo_server_get_socket_fd(server)), orThrow: "socket")
    else { return nil }
    self.manager = manager
    self.server = server
    self.socket = socket
    self.program = program
    self.name = name
    lo_server_add_method(
      server, nil, nil,
      { path, types, arguments, _, _, context in
        Unmanaged<SessionClient>.fromOpaque(context!).takeUnretainedValue().take(
          String(cString: path!), String(cString: types!), arguments)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    lo_server_free(server)
    lo_address_free(manager)
  }

  /// Tells the manager that the node is here.
  func announce(on loop: EventLoop) {
    loop.watch(socket) { [unowned self] in
      // Joining the server lets the loop turn: what comes meanwhile waits for its end.
      guard !isOpening else { return }
      while lo_server_recv_noblock(server, 0) > 0 {}
    }
    let message = lo_message_new()
    defer { lo_message_free(message) }
    lo_message_add_string(message, name)
    lo_message_add_string(message, Self.capabilities)
    lo_message_add_string(message, CommandLine.arguments[0])
    lo_message_add_int32(message, 1)
    lo_message_add_int32(message, 1)
    lo_message_add_int32(message, Environment.processID)
    lo_send_message_from(manager, server, "/nsm/server/announce", message)
  }

  private func take(
    _ path: String, _ types: String,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<lo_arg>?>?
  ) {
    func text(_ index: Int) -> String {
      guard let argument = arguments?[index] else { return "" }
      return String(cString: UnsafeRawPointer(argument).assumingMemoryBound(to: CChar.self))
    }
    switch (path, types) {
    case ("/nsm/client/open", "sss"): open(folder: text(0), clientName: text(2))
    case ("/nsm/client/save", ""): save()
    case ("/error", "sis") where text(0) == "/nsm/server/announce":
      Environment.say("the session manager refuses the node: \(text(2))")
    default: break
    }
  }

  private var file: String? { folder.map { $0 + "/settings" } }

  private func open(folder: String, clientName: String) {
    isOpening = true
    defer { isOpening = false }
    do {
      try Files.makeFolder(folder)
    } catch {
      fail("/nsm/client/open", Self.createFailed, "can't use the session's folder: \(error)")
      return
    }
    self.folder = folder
    program.leaveServer()
    program.reset()
    let lines = file.flatMap(Files.read)?.split(separator: "\n").map(String.init) ?? []
    for refusal in program.restore(lines) { Environment.say("in the session: \(refusal)") }
    do throws(Failure) {
      try program.join(name: clientName)
    } catch {
      fail("/nsm/client/open", Self.generalError, error.message)
      return
    }
    if !isReady {
      isReady = true
      program.sayReady()
    }
    succeed("/nsm/client/open", "opened \(clientName)")
  }

  private func save() {
    guard let file else {
      fail("/nsm/client/save", Self.generalError, "no session is open")
      return
    }
    do {
      try Files.write(program.settings.joined(separator: "\n") + "\n", to: file)
      succeed("/nsm/client/save", "saved")
    } catch {
      fail("/nsm/client/save", Self.generalError, "can't save: \(error)")
    }
  }

  private func succeed(_ path: String, _ text: String) {
    let message = lo_message_new()
    lo_message_add_string(message, path)
    lo_message_add_string(message, text)
    lo_send_message_from(manager, server, "/reply", message)
    lo_message_free(message)
  }

  private func fail(_ path: String, _ code: Int32, _ text: String) {
    let message = lo_message_new()
    lo_message_add_string(message, path)
    lo_message_add_int32(message, code)
    lo_message_add_string(message, text)
    lo_send_message_from(manager, server, "/error", message)
    lo_message_free(message)
  }
}
