internal import Foundation
internal import Glibc
package import OSC

/// A blocking TCP client that can misbehave.
package final class StreamPhone {
  private let descriptor: Int32
  private var framing = StreamFraming()
  private var inbox: [Received] = []

  /// Connects to a port of this machine, or of another.
  package init(port: UInt16, host: String = "127.0.0.1") throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
      throw Fault("not an IP address: \(host)")
    }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Fault("can't connect to port \(port)") }
    var patience = timeval(tv_sec: 0, tv_usec: 50_000)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Writes raw bytes.
  package func write(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Sends a message.
  package func send(_ address: String, _ arguments: Argument..., style: StreamFraming.Style) {
    write(StreamFraming.frame([UInt8](address: address, arguments), style))
  }

  /// Takes the next message; nil if none arrives in time, or the node has closed the connection.
  package func receive(seconds: Double = waitLimit) -> Received? {
    let deadline = Date() + seconds
    while inbox.isEmpty, Date() < deadline, !isClosed { readSome() }
    return inbox.isEmpty ? nil : inbox.removeFirst()
  }

  /// Whether the node has closed the connection.
  package private(set) var isClosed = false

  /// Waits until the node closes the connection.
  package func awaitClose(seconds: Double = waitLimit) -> Bool {
    let deadline = Date() + seconds
    while !isClosed, Date() < deadline { readSome() }
    return isClosed
  }

  private func readSome() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 {
      buffer[..<count].withUnsafeBytes {
        _ = framing.take($0) { inbox += Received.all(in: $0) }
      }
    } else if count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) {
      isClosed = true
    }
  }
}
