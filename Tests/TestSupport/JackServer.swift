internal import CJack
internal import Foundation
internal import Posix

/// A test's own JACK server, with the dummy driver.
package final class JackServer {
  /// The server's unique name.
  package private(set) var name = ""
  private var process: Process?
  private let block: Int

  // With it, JACK's threads run in the test process: see `Departure`.
  private static let departure: Void = {
    on_exit({ code, _ in Departure.leave(code) }, nil)
  }()

  /// Starts a server, and returns when clients can join it.
  package init(block: Int = 64) throws {
    self.block = block
    Self.departure
    // JACK stores the names of eight servers per machine, and never frees those of crashed ones;
    // only a server of the same name reuses them. So few names, tried in turn.
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
    guard !isAnswering else { throw Fault("there is a server \(name) already") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "jackd", "--no-realtime", "-n", name, "-d", "dummy", "-r", "\(rate)", "-p", "\(block)",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    try waitUntil("jackd takes clients", every: 0.02) {
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

  /// Kills the server, as a crash would.
  package func kill() {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  /// Stops the server, as a user would.
  package func stop() {
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
