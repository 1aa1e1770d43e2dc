import Control
import Engine
import Foundation
import OSC
import Posix
import Takes
import TestSupport

/// A node on an offline engine, with a clock that the test moves, and clients that write down
/// what they are sent.
final class Desk: Outlet, SoundServer, @unchecked Sendable {
  let host = OfflineHost(isPlayable: true)
  private(set) var node: Node!
  var seconds = 1000.0
  var rate = 48_000
  private(set) var received: [Client: [Received]] = [:]

  var status: SoundServerStatus {
    var status = SoundServerStatus()
    status.isRunning = true
    status.rate = rate
    status.block = 64
    status.lead = lead
    return status
  }

  /// Whether it leads the transport; who asks for it is told so later, by the test.
  var lead = TransportLead.no

  func leadTransport(_ leads: Bool) { lead = leads ? .asked : .no }

  init(
    presets: PresetLibrary = PresetLibrary(), home: String? = nil, musicFolders: [String] = [],
    instruments: InstrumentLibrary = InstrumentLibrary()
  ) {
    node = Node(
      name: "desk", engine: host.engine, soundServer: self, presets: presets, home: home,
      musicFolders: musicFolders, instruments: instruments
    ) {
      [unowned self] in
      seconds * 1e6
    }
    node.connect(to: self)
  }

  static func client(_ port: UInt16, host: String = "127.0.0.1") -> Client {
    Client(
      endpoint: Endpoint(address: IPAddress(host)!, port: port), transport: .datagrams(socket: 0),
      isOnThisMachine: IPAddress(host)!.isLoopback)
  }

  func send(_ packet: [UInt8], to client: Client) {
    received[client, default: []] += packet.withUnsafeBytes(Received.all(in:))
  }

  /// Sends bytes as a client, and returns what that client is sent at once.
  @discardableResult
  func give(_ packet: [UInt8], as client: Client = Desk.client(9000)) -> [Received] {
    packet.withUnsafeBytes { node.receive($0, from: client) }
    return take(client)
  }

  /// Sends one message as a client, and returns what that client is sent at once.
  @discardableResult
  func tell(
    _ address: String, _ arguments: Argument..., as client: Client = Desk.client(9000)
  ) -> [Received] {
    give([UInt8](address: address, arguments), as: client)
  }

  /// What a client was sent since the last look.
  func take(_ client: Client = Desk.client(9000)) -> [Received] {
    defer { received[client] = nil }
    return received[client] ?? []
  }

  /// Sends one message, and returns all that came until an address of these, or /error, did: the
  /// disk takes its time.
  func ask(
    _ address: String, _ arguments: Argument..., until ends: [String] = ["/reply"],
    as client: Client = Desk.client(9000)
  ) -> [Received] {
    var all = give([UInt8](address: address, arguments), as: client)
    for _ in 0..<5000 {
      if all.contains(where: { (ends + ["/error"]).contains($0.address) }) { return all }
      pass()
      all += take(client)
      usleep(500)
    }
    return all
  }

  /// Plays a sound into the node.
  func play(_ sound: [Float], block: Int = 64) -> OfflineHost.Output {
    let output = host.render(sound, block: block)
    seconds += Double(sound.count) / 48_000
    _ = node.tick()
    return output
  }

  /// Lets the audio go on for long, and the node look after it every ten milliseconds.
  func pass(frames: Int) {
    for _ in 0..<frames / 480 {
      _ = host.render(Tone.constant(0, frames: 480), block: 64)
      seconds += 0.01
      _ = node.tick()
    }
  }

  /// Lets the audio and the clock go on.
  func pass(seconds: Double = 0.02) {
    _ = host.render(Tone.constant(0, frames: 64), block: 64)
    self.seconds += seconds
    _ = node.tick()
  }
}
