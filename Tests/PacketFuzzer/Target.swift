import Control
import Engine
import OSC
import Posix
import TestSupport

/// A node that is thrown at.
final class Target: Outlet, SoundServer, @unchecked Sendable {
  static let shared = Target()

  private let host = OfflineHost()
  private var node: Node!
  private var web: WebTarget!
  private var board: BoardTarget!
  private var sent = 0
  let status = SoundServerStatus()
  let ports: [SoundPort] = []

  func leadTransport(_ leads: Bool) {}

  init() {
    node = Node(name: "target", engine: host.engine, soundServer: self)
    node.connect(to: self)
    do {
      web = try WebTarget(node)
      board = try BoardTarget()
    } catch {
      fatalError("\(error)")
    }
  }

  func send(_ packet: [UInt8], to client: Client) {
    sent += 1
    // What the node sends must be OSC itself.
    precondition(!packet.withUnsafeBytes(Received.all(in:)).isEmpty)
  }

  /// The first byte says which way the rest goes.
  func take(_ bytes: UnsafeRawBufferPointer) {
    guard let way = bytes.first else { return }
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    if way & 16 != 0 { return board.take(rest, asSound: way & 4 != 0) }
    let client = Client(
      endpoint: Endpoint(address: .loopback4, port: 9000 + UInt16(way & 3)),
      transport: way & 4 == 0 ? .datagrams(socket: 0) : .stream(connection: 1))
    if way & 8 != 0 {
      web.take(rest, onSocket: way & 4 != 0)
    } else if way & 4 == 0 {
      node.receive(rest, from: client)
    } else {
      var framing = StreamFraming()
      _ = framing.take(rest) { node.receive($0, from: client) }
    }
    let output = host.render(Tone.constant(0.5, frames: 64), block: 64)
    precondition(output.left.allSatisfy { abs($0) <= 1 })
    _ = node.tick()
    for address in node.table.addresses {
      if let number = node.argument(for: address)?.number {
        precondition(
          number >= Double(address.range.least) && number <= Double(address.range.greatest))
      }
    }
  }
}
