internal import Glibc
internal import Posix

/// A simulated picture server, like iNaturalist and Wikimedia Commons, which can be slow or
/// misbehave.
package final class PictureServer {
  /// A reply, and its misbehavior.
  package struct Reply: Sendable {
    package var status = 200
    package var type = "application/json"
    package var headers: [String] = []
    package var body: [UInt8] = []
    /// The Content-Length that it claims; nil for the true one, below 0 for none.
    package var claimedLength: Int?
    /// Whether it is held back until `goOn`.
    package var isHeld = false
    /// Whether data follows the body until the client disconnects.
    package var isEndless = false

    /// A text.
    package init(_ text: String, type: String = "application/json") {
      body = Array(text.utf8)
      self.type = type
    }

    /// A file.
    package init(_ bytes: [UInt8], type: String = "image/png") {
      body = bytes
      self.type = type
    }

    /// Creates a redirect.
    package init(to place: String) {
      status = 302
      headers = ["Location: \(place)"]
    }
  }

  /// A received request.
  package struct Request: Sendable {
    /// The path with its query.
    package let target: String
    /// The client's User-Agent.
    package let userAgent: String
    /// The steady time in microseconds.
    package let time: Double
  }

  private final class Shared: Sendable {
    let replies = Guarded<[String: Reply]>([:])
    let requests = Guarded<[Request]>([])
    let mayGoOn = Guarded(false)
  }

  private let shared = Shared()
  private let listener: Int32
  /// The port on this machine.
  package let port: UInt16

  /// Creates a server without content.
  package init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    let isReady = Endpoint(address: .loopback4, port: 0).withSockaddr {
      bind(listener, $0, $1) == 0 && listen(listener, 16) == 0
    }
    var (place, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    let isNamed = withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(listener, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: place.sin_port)
    guard isReady, isNamed else { throw Fault("no port for the picture server") }
    try Thread.start("pictures") { [shared] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        do throws(SystemError) {
          try Thread.start("picture") { Self.serve(client, shared) }
        } catch {
          close(client)
        }
      }
      // Closed here, so that the thread never uses a descriptor number that another server has by
      // then.
      close(listener)
    }
  }

  deinit {
    goOn()
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Its URL.
  package var url: String { "http://127.0.0.1:\(port)" }

  /// The requests received so far.
  package var requests: [Request] { shared.requests.withLock { $0 } }

  /// Replies to a path with any query.
  package func serve(_ path: String, _ reply: Reply) {
    shared.replies.withLock { $0[path] = reply }
  }

  /// Sends the replies held back.
  package func goOn() { shared.mayGoOn.withLock { $0 = true } }

  private static func serve(_ client: Int32, _ shared: Shared) {
    defer { close(client) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      bytes += buffer[..<count]
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    let target = String(lines[0].split(separator: " ")[1])
    let agent = lines.first { $0.lowercased().hasPrefix("user-agent: ") }?.dropFirst(12) ?? ""
    shared.requests.withLock {
      $0.append(Request(target: target, userAgent: String(agent), time: HostTime.steady))
    }
    let path = String(target.prefix { $0 != "?" })
    var missing = Reply("{\"error\":\"there is no such thing\"}")
    missing.status = 404
    let reply = shared.replies.withLock { $0[path] } ?? missing
    if reply.isHeld {
      // Longer than any client waits.
      try? waitUntil("the reply is released", seconds: 60) { shared.mayGoOn.withLock { $0 } }
    }
    send(reply, to: client)
  }

  private static func send(_ reply: Reply, to client: Int32) {
    var head = [
      "HTTP/1.1 \(reply.status) Said", "Content-Type: \(reply.type)", "Connection: close",
    ]
    let length = reply.claimedLength ?? reply.body.count
    if length >= 0, !reply.isEndless { head.append("Content-Length: \(length)") }
    head += reply.headers
    guard send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + reply.body, to: client)
    else { return }
    let more = [UInt8](repeating: 0, count: 65_536)
    while reply.isEndless, send(more, to: client) {}
  }

  private static func send(_ bytes: [UInt8], to client: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
