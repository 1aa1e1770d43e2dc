import Control
import Engine
import Foundation
import InstrumentFiles
import Library
import OSC
import Posix
import TestSupport
import Testing

/// A node on an offline engine, with a clock that the test moves, and clients that write down
/// what they are sent.
final class Desk: Outlet, @unchecked Sendable {
  let host = OfflineHost(isPlayable: true)
  private(set) var node: Node!
  var seconds = 1000.0
  /// What happens when the node asks for the time next: between the steps of one tick.
  var atNextTime: (() -> Void)?
  var rate = 48_000
  private(set) var received: [Client: [Received]] = [:]
  /// How much all clients together were sent, in bytes of packets.
  private(set) var bytesSent = 0

  var status: SoundServerStatus {
    var status = SoundServerStatus()
    status.isRunning = true
    status.rate = rate
    status.block = 64
    status.lead = lead
    status.portChanges = portChanges
    return status
  }

  /// The node's ports on its sound server.
  var ports: [SoundPort] = [] { didSet { portChanges += 1 } }
  private var portChanges = 0

  /// Whether it leads the transport; who asks for it is told so later, by the test.
  var lead = TransportLead.no

  func leadTransport(_ leads: Bool) { lead = leads ? .asked : .no }

  init(
    presets: PresetLibrary = PresetLibrary(), home: String? = nil, musicFolders: [String] = [],
    instruments: InstrumentLibrary = InstrumentLibrary()
  ) {
    node = Node(
      name: "desk", engine: host.engine, soundServer: Server(desk: self), presets: presets,
      home: home,
      musicFolders: musicFolders, instruments: instruments
    ) {
      [unowned self] in
      let then = atNextTime
      atNextTime = nil
      then?()
      return seconds * 1e6
    }
    node.connect(to: self)
  }

  /// The desk as its node's sound server, which must not keep it alive.
  private final class Server: SoundServer, @unchecked Sendable {
    private unowned let desk: Desk

    init(desk: Desk) { self.desk = desk }

    var status: SoundServerStatus { desk.status }

    var ports: [SoundPort] { desk.ports }

    func leadTransport(_ leads: Bool) { desk.leadTransport(leads) }
  }

  static func client(_ port: UInt16, host: String = "127.0.0.1") -> Client {
    Client(
      endpoint: Endpoint(address: IPAddress(host)!, port: port), transport: .datagrams(socket: 0),
      isOnThisMachine: IPAddress(host)!.isLoopback)
  }

  func send(_ packet: [UInt8], to client: Client) {
    bytesSent += packet.count
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
    pass(until: "\(address) is answered") {
      all += take(client)
      return all.contains { (ends + ["/error"]).contains($0.address) }
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

  /// Lets the audio and the clock go on until something is so that takes the disk its time.
  func pass(
    until what: String, seconds step: Double = 0.02, every pause: Double = 0.001,
    sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () -> Bool
  ) {
    wait(until: what, every: pause, sourceLocation: sourceLocation) {
      if isSo() { return true }
      pass(seconds: step)
      return false
    }
  }

  /// Lets the audio and the clock go on until nothing is on its way to or from the disk.
  func awaitDisk(
    every pause: Double = 0.001, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    pass(until: "the disk has done all", every: pause, sourceLocation: sourceLocation) {
      !node.isWriting && !node.isOpening
    }
  }

  /// Waits until all is written, while the clock stands still.
  func awaitWriting(sourceLocation: SourceLocation = #_sourceLocation) {
    wait(until: "all is written", sourceLocation: sourceLocation) {
      _ = node.tick()
      return !node.isWriting
    }
  }

  /// Waits until something is so; what is to go on meanwhile, goes on in there.
  func wait(
    until what: String, every pause: Double = 0.001,
    sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () -> Bool
  ) {
    do {
      try waitUntil(what, seconds: 30, every: pause, isSo)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
  }

  /// Lets the audio and the clock go on.
  func pass(seconds: Double = 0.02) {
    _ = host.render(Tone.constant(0, frames: 64), block: 64)
    self.seconds += seconds
    _ = node.tick()
  }
}
