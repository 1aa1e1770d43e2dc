import Control
import Doors
import Engine
import Foundation
import OSC
import Posix
import TestSupport
import Testing

/// A node with a web server, on an event loop that a test runs.
final class WebRig {
  let host = OfflineHost(isPlayable: true)
  let folder: TemporaryFolder
  let node: Node
  let loop = EventLoop()
  private(set) var door: WebDoor!
  // The server's time is that of the blocks, so that it hangs up on no client because a busy machine
  // delays the test.
  private let clock = Guarded(0.0)
  private static let block = 64
  /// The time of the server in seconds.
  var seconds: Double { clock.withLock { $0 } / 1e6 }
  /// A client that sends a pong every second.
  weak var attentive: WebClient?
  private var nextPong = 0.0

  private final class NoServer: SoundServer {
    var status: SoundServerStatus {
      var status = SoundServerStatus()
      status.isRunning = true
      status.rate = 48_000
      return status
    }
    var ports: [SoundPort] { [] }
    func leadTransport(_ leads: Bool) {}
  }

  /// Creates a node that only this machine, or the whole network, can reach.
  init(isOpen: Bool = false, _ change: (inout WebDoor.Options) -> Void = { _ in }) throws {
    folder = try TemporaryFolder()
    node = Node(
      name: "rig", engine: host.engine, soundServer: NoServer(), home: folder.url.path)
    node[Takes.self].open { Issue.record("\($0)") }
    var options = WebDoor.Options(port: 0, takesOther: false)
    change(&options)
    var access = NetworkAccess()
    access.isOpen = isOpen
    door = try WebDoor(
      options, access: access, home: folder.url.path, node: node, oscPort: 8000, loop: loop,
      clock: { [clock] in clock.withLock { $0 } })
  }

  deinit { door.end() }

  /// Runs everything once.
  func turn() {
    _ = host.render([Float](repeating: 0, count: Self.block), block: Self.block)
    clock.withLock { $0 += Double(Self.block) / 48_000 * 1e6 }
    if seconds >= nextPong {
      nextPong = seconds + 1
      attentive?.pong()
    }
    loop.turn(milliseconds: 0)
    _ = node.tick()
    _ = door.tick()
  }

  /// The files in the upload folder.
  var incoming: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path("incoming")) }
  }

  /// Whether a note sounds that has not been released.
  var isSounding: Bool { node.values(of: node.table["/status/voices"]!) != [.int32(0)] }

  func client(isNarrow: Bool = false) throws -> WebClient {
    try WebClient(self, port: door.port, isNarrow: isNarrow)
  }

  /// Sends one GET request on its own connection.
  func get(_ path: String, _ headers: [String: String] = [:]) throws -> WebClient.Answer {
    try client().get(path, headers)
  }

  /// Opens a WebSocket.
  func socket(
    _ headers: [String: String] = [:], isNarrow: Bool = false
  ) throws -> WebClient {
    let client = try client(isNarrow: isNarrow)
    let answer = try client.get("/", WebClient.upgrade.merging(headers) { $1 })
    guard answer.status == 101 else { throw Fault("\(answer.status) \(answer.text)") }
    return client
  }

  /// The value of an address in OSCQuery.
  func value(_ path: String) throws -> String { try get("\(path)?VALUE").text }
}
