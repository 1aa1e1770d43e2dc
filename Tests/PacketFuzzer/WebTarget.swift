import Control
import Doors
import Feed
import Foundation
import Glibc
import Posix
import TestSupport

/// The node's door for browsers, thrown at by real connections.
final class WebTarget {
  // What a client on a WebSocket says first.
  private static let upgrade = Array(
    """
    GET / HTTP/1.1\r
    Host: localhost\r
    Connection: Upgrade\r
    Upgrade: websocket\r
    Sec-WebSocket-Version: 13\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    \r

    """.utf8)
  // How long an answer to a whole request may take, in microseconds; one to none never comes.
  private static let patience = 2000.0

  private let node: Node
  private let loop = EventLoop()
  private let door: WebDoor
  private let home: TemporaryFolder

  init(_ node: Node) throws {
    self.node = node
    home = try TemporaryFolder()
    door = try WebDoor(
      WebDoor.Options(port: 0, takesOther: false), access: NetworkAccess(),
      home: home.url.path, node: node, oscPort: 8000, loop: loop,
      board: HomeBoard { [path = home.url.path] in path })
  }

  /// Throws bytes at the door, as a request or on a WebSocket.
  func take(_ bytes: UnsafeRawBufferPointer, onSocket: Bool) {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    let place = Endpoint(address: .loopback4, port: door.port)
    guard number >= 0, place.withSockaddr({ connect(number, $0, $1) }) == 0 else { return }
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    if onSocket {
      Self.upgrade.withUnsafeBytes { put($0, number) }
      awaitAnswer(number, .infinity)
    }
    put(bytes, number)
    awaitAnswer(number, Self.patience)
    turn()
  }

  private func turn() {
    loop.turn(milliseconds: 0)
    _ = node.tick()
    _ = door.tick()
  }

  private func put(_ bytes: UnsafeRawBufferPointer, _ number: Int32) {
    var sent = 0
    while sent < bytes.count {
      let count = send(
        number, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      if count > 0 { sent += count } else if errno != EAGAIN { return }
      turn()
    }
  }

  private func awaitAnswer(_ number: Int32, _ patience: Double) {
    let deadline = HostTime.steady + patience
    var buffer = [UInt8](repeating: 0, count: 4096)
    while HostTime.steady < deadline {
      turn()
      let count = recv(number, &buffer, buffer.count, 0)
      if count >= 0 || errno != EAGAIN { return }
    }
  }
}
