import Control
import Engine
import Foundation
import InstrumentFiles
import Library
import OSC
import Posix
import TestSupport
import Testing

/// A node on an offline engine, with a clock moved by the test, and clients that record what they receive.
final class Desk: Outlet, @unchecked Sendable {
  let host = OfflineHost(isPlayable: true)
  private(set) var node: Node!
  var seconds = 1000.0
  /// Called when the node reads the time, between the steps of a tick.
  var atNextTime: (() -> Void)?
  var rate = 48_000
  private(set) var received: [Client: [Received]] = [:]
  /// The bytes sent to all clients.
  private(set) var bytesSent = 0

  var status: SoundServerStatus {
    var status = SoundServerStatus()
    status.isRunning = isServerRunning
    status.rate = rate
    status.block = 64
    status.lead = lead
    status.portChanges = portChanges
    return status
  }

  /// The node's ports on the sound server.
  var ports: [SoundPort] = [] { didSet { portChanges += 1 } }
  private var portChanges = 0
  /// The sound card that the node is connected to.
  var route: SoundRoute? { didSet { portChanges += 1 } }
  /// The losses of sound.
  var lost: [LostBlock] = []
  /// Whether the node's sound server runs.
  var isServerRunning = true { didSet { portChanges += 1 } }

  /// The role of timebase master.
  ///
  /// The test sets the server's reply.
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

  /// The desk as sound server of its node, without a retain cycle.
  private final class Server: SoundServer, @unchecked Sendable {
    private unowned let desk: Desk

    init(desk: Desk) { self.desk = desk }

    var status: SoundServerStatus { desk.status }

    var ports: [SoundPort] { desk.ports }

    var route: SoundRoute? { desk.route }

    var lostBlocks: [LostBlock] { desk.lost }

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

  /// Sends bytes as a client, and returns the immediate replies.
  @discardableResult
  func give(_ packet: [UInt8], as client: Client = Desk.client(9000)) -> [Received] {
    packet.withUnsafeBytes { node.receive($0, from: client) }
    return take(client)
  }

  /// Sends a message as a client, and returns the immediate replies.
  @discardableResult
  func tell(
    _ address: String, _ arguments: Argument..., as client: Client = Desk.client(9000)
  ) -> [Received] {
    give([UInt8](address: address, arguments), as: client)
  }

  /// Returns what a client received since the last call.
  func take(_ client: Client = Desk.client(9000)) -> [Received] {
    defer { received[client] = nil }
    return received[client] ?? []
  }

  /// Sends a message, and returns all replies up to one of these addresses or /error, including replies
  /// that wait for the disk.
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

  /// Plays audio into the node.
  func play(_ sound: [Float], block: Int = 64) -> OfflineHost.Output {
    let output = host.render(sound, block: block)
    seconds += Double(sound.count) / 48_000
    _ = node.tick()
    return output
  }

  /// Runs the audio, with a tick every ten milliseconds.
  func pass(frames: Int) {
    for _ in 0..<frames / 480 {
      _ = host.render(Tone.constant(0, frames: 480), block: 64)
      seconds += 0.01
      _ = node.tick()
    }
  }

  /// Runs the audio and the clock until a condition that depends on the disk holds.
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

  /// Runs the audio and the clock until no disk access is in progress.
  func awaitDisk(
    every pause: Double = 0.001, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    pass(until: "the disk has done all", every: pause, sourceLocation: sourceLocation) {
      !node.isWriting && !node.keeper.isOpening
    }
  }

  /// Waits until all is written, without moving the clock.
  func awaitWriting(sourceLocation: SourceLocation = #_sourceLocation) {
    wait(until: "all is written", sourceLocation: sourceLocation) {
      _ = node.tick()
      return !node.isWriting
    }
  }

  /// Waits until a condition holds.
  ///
  /// The condition may run the audio.
  func wait(
    until what: String, every pause: Double = 0.001,
    sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () -> Bool
  ) {
    do {
      try waitUntil(what, seconds: waitLimit, every: pause, isSo)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
  }

  /// Runs the audio and the clock.
  func pass(seconds: Double = 0.02) {
    _ = host.render(Tone.constant(0, frames: 64), block: 64)
    self.seconds += seconds
    _ = node.tick()
  }
}
