internal import CJack
internal import Foundation
internal import Posix

/// A test's own JACK server, with the dummy driver.
///
/// It runs in JACK's synchronous mode: it waits in each cycle until all clients have finished, so
/// that a busy machine delays cycles and drops none. In asynchronous mode, a late client loses a
/// buffer, with the sound and the MIDI messages in it.
package final class JackServer {
  /// The server's unique name.
  package private(set) var name = ""
  private var process: Process?
  private let block: Int
  private let timeout: Int

  // JACK's threads run in the test process, and can deadlock its normal exit: see `Departure`.
  private static let departure: Void = {
    on_exit({ code, _ in Departure.leave(code) }, nil)
  }()

  /// Starts a server, and returns when clients can join it.
  ///
  /// `timeout` is the client timeout in milliseconds. A cycle waits ten times as long for a client
  /// that does not finish, and for each killed client: tests with many kills use a short timeout.
  package init(block: Int = 64, timeout: Int = 100) throws {
    (self.block, self.timeout) = (block, timeout)
    Self.departure
    // JACK stores the names of eight servers per machine, and never frees those of crashed ones;
    // only a server of the same name reuses them. So the names are few, and tried in turn.
    var fault: (any Error)?
    for number in 1...4 {
      name = "syrinx-test-\(number)"
      do {
        try start()
        return
      } catch {
        fault = error
      }
    }
    throw fault!
  }

  deinit { stop() }

  /// Starts the server, again after `kill` or `stop`.
  package func start(rate: Int = 48_000) throws {
    guard !isAnswering else { throw Fault("a server \(name) is already running") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "jackd", "--no-realtime", "--sync", "--timeout", "\(timeout)", "-n", name, "-d", "dummy",
      "-r", "\(rate)", "-p", "\(block)",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    try waitUntil("jackd accepts clients", every: 0.02) {
      guard process.isRunning else { throw Fault("jackd does not start") }
      return isAnswering
    }
  }

  private var isAnswering: Bool {
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
    var status = JackStatus(rawValue: 0)
    guard let client = nj_client_open("probe", JackNoStartServer, &status, name) else {
      return false
    }
    jack_client_close(client)
    return true
  }

  /// Waits until the server has removed a client whose process has ended.
  func awaitDeparture(of client: String) {
    guard process?.isRunning == true else { return }
    try? waitUntil("\(client) is removed", every: 0.01) {
      var status = JackStatus(rawValue: 0)
      guard let observer = nj_client_open("observer", JackNoStartServer, &status, name) else {
        return process?.isRunning != true
      }
      defer { jack_client_close(observer) }
      guard let id = jack_get_uuid_for_client_name(observer, client) else { return true }
      jack_free(id)
      return false
    }
  }

  /// Kills the server, as a crash would.
  package func kill() {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  /// Stops the server, as a user would.
  package func stop() {
    ServerClients.close(of: name)
    process?.terminate()
    process?.waitUntilExit()
    process = nil
  }
}

/// The error of a server that does not start.
package struct Fault: Error, CustomStringConvertible {
  package let description: String

  /// Creates a fault with its reason.
  package init(_ description: String) { self.description = description }
}
