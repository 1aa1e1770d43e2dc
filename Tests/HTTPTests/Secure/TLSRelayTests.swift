import Foundation
import Posix
import TestSupport
import Testing

@testable import HTTP

/// HTTPS through the relay, for a client that trusts the authority.
@Suite(.serialized) struct TLSRelayTests {
  /// A server behind a relay, on a port of its own.
  private final class Stage: @unchecked Sendable {
    let folder: TemporaryFolder
    let relay: TLSRelay
    let server: HTTPServer
    let port: UInt16
    private let listener: Socket
    private let loop = EventLoop()
    private let isOver = Guarded(false)
    private let hasEnded = Monitor(false)

    init(_ course: @escaping @Sendable (HTTPRequest) -> HTTPServer.RequestHandling) throws {
      folder = try TemporaryFolder()
      let authority = try CertificateAuthority(
        folder: folder.path("tls"), hosts: ["localhost", "rack.local"])
      try Data(authority.certificate.utf8).write(
        to: URL(fileURLWithPath: folder.path("trusted.pem")))
      relay = try TLSRelay(
        try authority.identity(addresses: [IPAddress.loopback4]))
      server = try HTTPServer(headers: [], upgraded: { _ in }, course: course)
      listener = try Socket(.stream, boundTo: Endpoint(address: .loopback4, port: 0))
      port = listener.port
      setenv("SSL_CERT_FILE", folder.path("trusted.pem"), 1)
      let thread = Thread { [self] in
        loop.watch(listener.descriptor) { [unowned self] in accept() }
        while !isOver.withLock({ $0 }) { loop.turn(milliseconds: 5) }
        server.end()
        relay.end()
        hasEnded.change { $0 = true }
      }
      thread.start()
    }

    private func accept() {
      while let (socket, peer) = listener.accept() {
        if let inner = try? relay.take(socket) { server.take(inner, from: peer) }
      }
    }

    func end() {
      isOver.withLock { $0 = true }
      _ = hasEnded.wait(seconds: waitLimit) { $0 ? true : nil }
      unsetenv("SSL_CERT_FILE")
    }

    func perform(_ method: String, _ path: String, body: [UInt8]? = nil) throws -> HTTPReply {
      let url = try #require(HTTPPlace("https://127.0.0.1:\(port)\(path)"))
      var call = HTTPCall(method, url)
      call.body = body
      call.mostBytes = 64 << 20
      // On a busy machine both ends wait for a core; a transfer that hangs is found by the limit of the suite.
      (call.seconds, call.patience) = (1200, 1200)
      return try HTTPClient(userAgent: "test").perform(call)
    }
  }

  // More than all buffers between the two ends.
  private static let bytes = (0..<8_000_000).map {
    UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13)
  }

  @Test func `a download and an upload of megabytes arrive whole`() throws {
    let received = Guarded<[UInt8]>([])
    let folder = try TemporaryFolder()
    let place = folder.path("in")
    let stage = try Stage { request in
      guard request.method == "POST" else {
        return .answer(HTTPAnswer(200, Self.bytes, type: "application/octet-stream"))
      }
      return .receive {
        do throws(SystemError) {
          return .success(
            try Upload(in: place, named: "x", most: 64 << 20) { path, _, reply in
              received.withLock { $0 = (try? Files.contents(of: path, atMost: 64 << 20)) ?? [] }
              reply { .empty(204) }
            })
        } catch {
          return .failure(.refusal(507, "\(error)"))
        }
      }
    }
    defer { stage.end() }
    #expect(try stage.perform("GET", "/").body == Self.bytes)
    #expect(try stage.perform("POST", "/", body: Self.bytes).status == 204)
    #expect(received.withLock { $0 } == Self.bytes)
  }

  /// The time that threads of a name have used, in clock ticks.
  private func ticks(ofThreads name: String) throws -> Int {
    var sum = 0
    for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
      let folder = "/proc/self/task/\(task)"
      guard let comm = try? String(contentsOfFile: folder + "/comm", encoding: .utf8),
        comm.hasPrefix(name),
        let stat = try? String(contentsOfFile: folder + "/stat", encoding: .utf8),
        let fields = stat.split(separator: ")").last?.split(separator: " ")
      else { continue }
      sum += (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }
    return sum
  }

  @Test func `clients that stop in the middle of a handshake take no time`() throws {
    let stage = try Stage { _ in .answer(.empty(204)) }
    defer { stage.end() }
    var clients: [Socket] = []
    for first in [[22], [22, 3, 1, 0, 200], [22, 3, 1, 0, 2, 1, 0]] as [[UInt8]] {
      let client = try Socket(
        connectedTo: Endpoint(address: .loopback4, port: stage.port))
      #expect(client.write(first[...]) == first.count)
      clients.append(client)
    }
    // Another one is served meanwhile.
    #expect(try stage.perform("GET", "/").status == 204)
    let before = try ticks(ofThreads: "web-tls")
    letPass(seconds: 1, "a loop that spins would use a whole core")
    // A tenth of that time: a clock tick is 10 ms.
    #expect(try ticks(ofThreads: "web-tls") - before < 10)
    withExtendedLifetime(clients) {}
  }

  @Test func `what is no TLS is refused, and other clients go on`() throws {
    let stage = try Stage { _ in .answer(.empty(204)) }
    defer { stage.end() }
    let client = try Socket(connectedTo: Endpoint(address: .loopback4, port: stage.port))
    let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
    #expect(client.write(request[...]) == request.count)
    var reply: [UInt8] = []
    // Until it is closed.
    while case .bytes = client.read(
      atMost: 1 << 16,
      {
        reply += $0; return true
      })
    {}
    #expect(!reply.starts(with: Array("HTTP".utf8)))
    #expect(try stage.perform("GET", "/").status == 204)
  }
}
