import Foundation
import Glibc
import Posix
import TestSupport

/// A raw client of the web server, which can also send invalid data.
final class WebClient {
  /// A response, as received.
  struct Answer {
    var status = 0
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private let descriptor: Int32
  private let rig: WebRig
  private(set) var received: [UInt8] = []
  private(set) var hasEnded = false

  /// Connects a client; a narrow one has a small receive buffer.
  init(_ rig: WebRig, port: UInt16, isNarrow: Bool = false) throws {
    self.rig = rig
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // Before the window size is announced.
    if isNarrow { setReceiveBuffer(32_768) }
    // A full buffer drops acknowledgements, too: sends must not wait for them.
    var isAtOnce: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isAtOnce, 4)
    let endpoint = Endpoint(address: .loopback4, port: port)
    guard endpoint.withSockaddr({ connect(descriptor, $0, $1) }) == 0 else {
      throw Fault("can't connect: \(String(cString: strerror(errno)))")
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { close(descriptor) }

  /// Sets the size of the receive buffer.
  func setReceiveBuffer(_ bytes: Int32) {
    var bytes = bytes
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
  }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    try waitUntil("all is sent", every: 0) {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 { rest = rest.dropFirst(count) }
      if count < 0, errno != EAGAIN { return true }
      rig.turn()
      return rest.isEmpty
    }
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Reads the available data.
  func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        received += buffer[..<count]
      } else {
        if count == 0 || errno != EAGAIN { hasEnded = true }
        return
      }
    }
  }

  /// Runs the server until a condition holds.
  func expect(
    _ what: String, seconds: Double = waitLimit, _ isThere: (WebClient) -> Bool
  ) throws {
    try waitUntil(what, seconds: seconds, every: 0) {
      rig.turn()
      read()
      return isThere(self)
    }
  }

  /// Waits for a complete response to one request, and takes it.
  func answer() throws -> Answer {
    var answer = Answer()
    try expect("an answer is there") { client in
      guard let end = client.received.firstRange(of: Array("\r\n\r\n".utf8)) else {
        return client.hasEnded
      }
      let lines = String(decoding: client.received[..<end.lowerBound], as: UTF8.self)
        .split(separator: "\r\n")
      answer.status = Int(lines[0].split(separator: " ")[1]) ?? 0
      for line in lines.dropFirst() {
        let parts = line.split(separator: ": ", maxSplits: 1)
        answer.headers[parts[0].lowercased()] = parts.count == 2 ? String(parts[1]) : ""
      }
      let count = Int(answer.headers["content-length"] ?? "0") ?? 0
      let hasBody = answer.status != 304 && answer.status >= 200
      guard client.received.count >= end.upperBound + (hasBody ? count : 0) else {
        return client.hasEnded
      }
      answer.body = Array(client.received[end.upperBound...].prefix(hasBody ? count : 0))
      client.received.removeFirst(end.upperBound + answer.body.count)
      return true
    }
    return answer
  }

  /// Sends a GET request on its own connection.
  func get(_ path: String, _ headers: [String: String] = [:]) throws -> Answer {
    try ask("GET", path, headers)
  }

  func ask(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8]? = nil
  ) throws -> Answer {
    var headers = headers
    if headers["Host"] == nil { headers["Host"] = "127.0.0.1" }
    if let body { headers["Content-Length"] = "\(body.count)" }
    let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    try send(Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8) + (body ?? []))
    return try answer()
  }

  // MARK: - WebSockets

  static let upgrade = [
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  ]

  /// Tells the server that the client is there, while nothing else is being sent.
  func pong() {
    let frame = WebFrame.sent(10, [])
    _ = Glibc.send(descriptor, frame, frame.count, Int32(MSG_NOSIGNAL))
  }

  /// Takes the complete frames received.
  func takeFrames() -> [WebFrame] { WebFrame.take(from: &received) }
}
