internal import Foundation
package import OSC
internal import Posix

/// A simulated control surface with one UDP socket.
package final class Phone {
  private let socket: Socket
  private let reader = DatagramReader()
  private let node: Endpoint
  private var inbox: [Received] = []

  /// Creates a surface that talks to a port of this machine, from the same address.
  package init(port: UInt16, host: String = "127.0.0.1") throws {
    node = Endpoint(address: IPAddress(host)!, port: port)
    socket = try Socket(.datagrams, boundTo: Endpoint(address: node.address, port: 0))
  }

  /// The port from which the phone sends.
  package var port: UInt16 { socket.port }

  /// Sends bytes.
  package func send(bytes: [UInt8]) { socket.send(bytes, to: node) }

  /// Sends one message.
  package func send(_ address: String, _ arguments: Argument...) {
    send(bytes: [UInt8](address: address, arguments))
  }

  /// Takes the next message; nil if none arrives in time.
  package func receive(seconds: Double = waitLimit) -> Received? {
    let deadline = HostTime.steady + seconds * 1e6
    while inbox.isEmpty {
      let count = reader.read(socket) { bytes, _ in inbox += Received.all(in: bytes) }
      if count == 0 {
        let left = (deadline - HostTime.steady) / 1000
        guard left > 0 else { return nil }
        wait(milliseconds: min(left, 5))
      }
    }
    return inbox.removeFirst()
  }

  private func wait(milliseconds: Double) {
    let loop = EventLoop()
    loop.watch(socket.descriptor) {}
    loop.turn(milliseconds: max(1, Int(milliseconds)))
  }

  /// Takes messages up to one with this address.
  package func receive(_ address: String, seconds: Double = waitLimit) -> Received? {
    let deadline = HostTime.steady + seconds * 1e6
    while let message = receive(seconds: max(0, (deadline - HostTime.steady) / 1e6)) {
      if message.address == address { return message }
    }
    return nil
  }

  /// Takes all messages until one has any of these addresses; empty if none arrives in time.
  package func receive(untilOneOf ends: [String], seconds: Double = waitLimit) -> [Received] {
    let deadline = HostTime.steady + seconds * 1e6
    var result: [Received] = []
    while let message = receive(seconds: max(0, (deadline - HostTime.steady) / 1e6)) {
      result.append(message)
      if ends.contains(message.address) { return result }
    }
    return []
  }

  /// Takes messages until the condition accepts them.
  ///
  /// Returns them, also after the time limit.
  package func receive(
    seconds: Double = waitLimit, until areEnough: ([Received]) -> Bool
  ) -> [Received] {
    let deadline = HostTime.steady + seconds * 1e6
    var result: [Received] = []
    while !areEnough(result),
      let message = receive(seconds: max(0, (deadline - HostTime.steady) / 1e6))
    {
      result.append(message)
    }
    return result
  }

  /// Takes all messages that arrive within a time.
  package func receiveAll(seconds: Double) -> [Received] {
    let deadline = HostTime.steady + seconds * 1e6
    var result: [Received] = []
    while let message = receive(seconds: max(0, (deadline - HostTime.steady) / 1e6)) {
      result.append(message)
    }
    return result
  }

  /// Queries the value of an address.
  package func ask(_ address: String) -> Received? {
    send(address)
    return receive(address)
  }

  /// Waits until an address has a value.
  package func awaitValue(
    of address: String, _ value: Argument, seconds: Double = waitLimit, file: String = #fileID,
    line: Int = #line
  ) throws {
    try waitUntil(
      "\(address) is \(value)", seconds: seconds, every: 0.02, file: file, line: line
    ) { ask(address)?.arguments == [value] }
  }

  /// Waits until the node has been told that its server freewheels, at 48 kHz: its clock then has the nominal
  /// rate, and no longer follows the host's.
  package func awaitFreewheel(file: String = #fileID, line: Int = #line) throws {
    try waitUntil("the node's clock has the nominal rate", file: file, line: line) {
      ask("/clock")?.arguments[2] == .double(48_000)
    }
  }

  /// Waits for a duration of the node's sound, counted in frames of its clock.
  package func pass(
    seconds: Double, file: String = #fileID, line: Int = #line, _ reason: StaticString
  ) throws {
    func frame() throws -> (count: Int64, rate: Double) {
      guard let clock = ask("/clock")?.arguments, case .int64(let count) = clock[0],
        let rate = clock[2].number
      else { throw Fault("\(file):\(line): no reply with a frame") }
      return (count, rate)
    }
    let (start, rate) = try frame()
    let count = Int64(seconds * rate)
    try waitUntil("\(seconds) s of sound have passed", file: file, line: line) {
      try frame().count - start >= count
    }
  }

  /// Waits until a loop's clip has a length, in seconds of recorded frames.
  package func awaitLength(
    _ seconds: Double, ofLoop number: Int = 1, file: String = #fileID, line: Int = #line
  ) throws {
    try waitUntil("loop \(number) has \(seconds) s", file: file, line: line) {
      ask("/loop/\(number)/state")?.arguments[2].number ?? 0 >= seconds
    }
  }

  /// Waits until the node reports that its JACK server is `running` or `gone`.
  package func awaitServer(
    _ state: String, seconds: Double = waitLimit, file: String = #fileID, line: Int = #line
  ) throws {
    try awaitValue(
      of: "/status/server", .string(state), seconds: seconds, file: file, line: line)
  }

  /// Waits until everything sent is in effect.
  package func sync(_ token: Int32 = 1) -> Bool {
    send("/sync", .int32(token))
    return receive("/synced")?.arguments == [.int32(token)]
  }
}
