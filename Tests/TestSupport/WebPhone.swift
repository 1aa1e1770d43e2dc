internal import Foundation
internal import Glibc
package import OSC
internal import Posix

/// A blocking client of the node's web server: HTTP requests, and OSC over a WebSocket.
package final class WebPhone {
  /// An HTTP response.
  package struct Answer {
    /// The status code.
    package var status = 0
    /// The headers, with lowercase names.
    package var headers: [String: String] = [:]
    /// The body.
    package var body: [UInt8] = []
    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }
  }

  private let descriptor: Int32
  private let host: String
  private var received: [UInt8] = []
  private var inbox: [Received] = []
  /// The received text messages.
  package private(set) var texts: [String] = []
  /// Whether the node has closed the connection.
  package private(set) var isClosed = false

  /// Connects to a port of this machine, or of another of its addresses.
  package init(port: UInt16, host: String = "127.0.0.1") throws {
    self.host = host
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard let address = IPAddress(host),
      Endpoint(address: address, port: port).withSockaddr({ connect(descriptor, $0, $1) }) == 0
    else { throw Fault("can't connect to port \(port)") }
    var patience = timeval(tv_sec: 0, tv_usec: 20_000)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
  }

  deinit { close(descriptor) }

  /// Sends a GET request, and waits for the response.
  package func get(_ path: String, _ headers: [String: String] = [:]) throws -> Answer {
    try ask("GET", path, headers)
  }

  /// Sends a request with another method and a body, and waits for the response.
  package func ask(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8] = [],
    seconds: Double = waitLimit
  ) throws -> Answer {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(headers["Host"] ?? host)"]
    lines += headers.filter { $0.key != "Host" }.map { "\($0.key): \($0.value)" }
    if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
    write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    var answer = Answer()
    // readSome waits for data by itself.
    try waitUntil("\(path) has a response", seconds: seconds, every: 0) {
      readSome()
      guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return isClosed }
      let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        .split(separator: "\r\n")
      answer.status = Int(head[0].split(separator: " ")[1]) ?? 0
      for line in head.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        answer.headers[parts[0].lowercased()] =
          parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      }
      let count = Int(answer.headers["content-length"] ?? "") ?? 0
      guard received.count >= end.upperBound + count else { return isClosed }
      answer.body = Array(received[end.upperBound...].prefix(count))
      received.removeFirst(end.upperBound + count)
      return true
    }
    return answer
  }

  /// Upgrades to a WebSocket.
  package func open(_ headers: [String: String] = [:]) throws {
    let answer = try get(
      "/",
      headers.merging([
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      ]) { $1 })
    guard answer.status == 101 else { throw Fault("\(answer.status): \(answer.text)") }
  }

  /// Sends a message over the WebSocket.
  package func send(_ address: String, _ arguments: Argument...) {
    write(WebFrame.sent(2, [UInt8](address: address, arguments)))
  }

  /// Sends a text over the WebSocket.
  package func send(text: String) { write(WebFrame.sent(1, Array(text.utf8))) }

  /// Takes the next message of an address; nil if none arrives in time.
  package func receive(_ address: String, seconds: Double = waitLimit) -> Received? {
    let deadline = HostTime.steady + seconds * 1e6
    while HostTime.steady < deadline {
      if let index = inbox.firstIndex(where: { $0.address == address }) {
        defer { inbox.removeFirst(index + 1) }
        return inbox[index]
      }
      guard !isClosed else { return nil }
      readSome()
      takeFrames()
    }
    return nil
  }

  /// Waits until the node closes the connection.
  package func awaitClose(seconds: Double = waitLimit) -> Bool {
    let deadline = HostTime.steady + seconds * 1e6
    while !isClosed, HostTime.steady < deadline { readSome() }
    return isClosed
  }

  /// Writes raw bytes.
  package func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func readSome() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 {
      received += buffer[..<count]
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      isClosed = true
    }
  }

  private func takeFrames() {
    for frame in WebFrame.take(from: &received) {
      switch frame.code {
      case 1: texts.append(String(decoding: frame.bytes, as: UTF8.self))
      case 2: inbox += frame.bytes.withUnsafeBytes(Received.all(in:))
      case 9: write(WebFrame.sent(10, []))
      default: break
      }
    }
  }
}
