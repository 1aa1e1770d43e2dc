import Foundation
import Posix
import TestSupport
import Testing

@testable import HTTP

/// The limits of the server: no client keeps others out.
@Suite struct HTTPLimitTests {
  /// A client, whose peer address the test chooses.
  private final class Client {
    let socket: Socket
    private(set) var text = ""
    private(set) var hasEnded = false

    init(_ socket: Socket) { self.socket = socket }

    /// Sends a text; returns false if the server has closed.
    @discardableResult
    func send(_ text: String) -> Bool { socket.write(Array(text.utf8)[...]) == text.utf8.count }

    /// Reads what has arrived.
    func read() {
      let reading = socket.read(atMost: 1 << 20) {
        text += String(decoding: $0, as: UTF8.self)
        return true
      }
      if case .closed = reading { hasEnded = true }
    }

    func awaitAnswer(_ status: Int) throws {
      try waitUntil("the answer \(status) is there") {
        read()
        return text.hasPrefix("HTTP/1.1 \(status) ")
      }
    }
  }

  /// A server whose clock the test sets.
  private final class Stage {
    let folder: TemporaryFolder
    let server: HTTPServer
    private let clock: Guarded<Double>

    init(_ change: (inout HTTPLimits) -> Void = { _ in }) throws {
      var limits = HTTPLimits()
      change(&limits)
      let (folder, clock) = (try TemporaryFolder(), Guarded(0.0))
      (self.folder, self.clock) = (folder, clock)
      let place = folder.path("in")
      server = try HTTPServer(
        headers: [], limits: limits, clock: { clock.withLock { $0 } }, upgraded: { _ in }
      ) { request in
        guard request.method == "POST" else { return .answer(.json("{}")) }
        return .receive {
          do throws(SystemError) {
            return .success(
              try Upload(in: place, named: "body", most: 1 << 24) { path, _, reply in
                let count = (try? Files.contents(of: path, atMost: 1 << 24))?.count
                reply { .json("\(count ?? -1)") }
              })
          } catch {
            return .failure(.empty(500))
          }
        }
      }
    }

    deinit { server.end() }

    func pass(seconds: Double) { clock.withLock { $0 += seconds * 1e6 } }

    func client(of address: String) throws -> Client {
      let (inner, outer) = try Socket.pair()
      server.take(inner, from: Endpoint(address: IPAddress(address)!, port: 1))
      return Client(outer)
    }

    /// The size of the file that an upload has reached.
    var received: Int? {
      guard let name = try? FileManager.default.contentsOfDirectory(atPath: folder.path("in")).first
      else { return nil }
      let path = folder.path("in/\(name)/body")
      return (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    }
  }

  private static let begun = "GET / HTTP/1.1\r\nHost: localhost\r\n"

  @Test func `a request that arrives line by line has ten seconds as a whole`() throws {
    let stage = try Stage()
    let client = try stage.client(of: "10.0.0.1")
    client.send(Self.begun)
    try waitUntil("it is refused") {
      stage.pass(seconds: 1)
      client.send("X: y\r\n")
      client.read()
      return !client.text.isEmpty
    }
    #expect(client.text.hasPrefix("HTTP/1.1 408 ") && client.text.contains("the limit is 10 s"))
    try waitUntil("it is closed") {
      client.read()
      return client.hasEnded
    }
  }

  @Test func `a silent connection is closed without an answer`() throws {
    let stage = try Stage()
    let client = try stage.client(of: "10.0.0.1")
    try waitUntil("it is closed") {
      stage.pass(seconds: 1)
      client.read()
      return client.hasEnded
    }
    #expect(client.text.isEmpty)
  }

  @Test func `a large upload may take long, at a minimum rate`() throws {
    let stage = try Stage()
    let client = try stage.client(of: "10.0.0.1")
    let (piece, count) = (String(repeating: "x", count: 10_000), 60)
    client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(piece.count * count)\r\n\r\n")
    for number in 1...count {
      client.send(piece)
      try waitUntil("it is received") { stage.received == piece.count * number || number == count }
      stage.pass(seconds: 1)
    }
    try client.awaitAnswer(200)
    #expect(client.text.hasSuffix("\(piece.count * count)"))
  }

  @Test func `an upload below the minimum rate is refused`() throws {
    let stage = try Stage()
    let client = try stage.client(of: "10.0.0.1")
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
    try waitUntil("it is refused") {
      stage.pass(seconds: 1)
      client.send("x")
      client.read()
      return !client.text.isEmpty
    }
    #expect(client.text.hasPrefix("HTTP/1.1 408 "))
  }

  @Test func `unfinished requests make room for a new address`() throws {
    let stage = try Stage {
      $0.connections = 6
      $0.connectionsOfOneAddress = 4
    }
    let slow = try (0..<6).map { try stage.client(of: "10.0.0.\($0 % 2 + 1)") }
    for client in slow { client.send(Self.begun) }
    for number in 0..<20 {
      let client = try stage.client(of: "10.0.1.\(number)")
      client.send(Self.begun + "Connection: close\r\n\r\n")
      try client.awaitAnswer(200)
      try waitUntil("it is closed") {
        client.read()
        return client.hasEnded
      }
    }
    // One had to go for the first, and each other newcomer had the room of the one before at least.
    var answered = 0
    for client in slow where client.send("\r\n") {
      try waitUntil("it is answered or closed") {
        client.read()
        return client.hasEnded || !client.text.isEmpty
      }
      if client.text.hasPrefix("HTTP/1.1 200 ") { answered += 1 }
    }
    #expect(1...5 ~= answered)
  }

  @Test func `an address with too many connections loses its own oldest`() throws {
    let stage = try Stage { $0.connectionsOfOneAddress = 3 }
    let other = try stage.client(of: "10.0.0.2")
    other.send(Self.begun)
    let slow = try (0..<10).map { _ in try stage.client(of: "10.0.0.1") }
    for client in slow.dropLast() { client.send(Self.begun) }
    slow[9].send(Self.begun + "\r\n")
    try slow[9].awaitAnswer(200)
    for client in slow.prefix(7) {
      try waitUntil("it is closed") {
        client.read()
        return client.hasEnded
      }
    }
    other.send("\r\n")
    try other.awaitAnswer(200)
  }
}
