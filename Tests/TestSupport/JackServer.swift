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
  private var block: Int
  private let timeout: Int

  // JACK's threads run in the test process, and can deadlock its normal exit: see `Departure`.
  private static let departure: Void = {
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
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

  /// Starts the server, again after `kill` or `stop`; with another buffer size from now on if one is given.
  package func start(rate: Int = 48_000, block: Int? = nil) throws {
    guard !isAnswering else { throw Fault("a server \(name) is already running") }
    self.block = block ?? self.block
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "jackd", "--no-realtime", "--sync", "--timeout", "\(timeout)", "-n", name, "-d", "dummy",
      "-r", "\(rate)", "-p", "\(self.block)",
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

  private var isAnswering: Bool { ports != nil }

  /// The ports on the server, as another program lists them; nil if clients can't join it.
  ///
  /// Not as a client of this process: libjack may cancel a thread of a client that leaves while the
  /// thread holds a lock of the whole process.
  private var ports: [Substring]? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["timeout", "10", "jack_lsp", "-s", name]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
  }

  /// Waits until the server has removed a client whose process has ended.
  func awaitDeparture(of client: String) {
    guard process?.isRunning == true else { return }
    try? waitUntil("\(client) is removed", every: 0.01) {
      guard let ports else { return process?.isRunning != true }
      return !ports.contains { $0.hasPrefix("\(client):") }
    }
  }

  /// Kills the server, as a crash would.
  package func kill() {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  /// Sends a signal to the server, such as SIGSTOP.
  package func send(signal: Int32) {
    if let process { Foundation.kill(process.processIdentifier, signal) }
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
