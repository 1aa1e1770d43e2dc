import Foundation
import Posix
import TestSupport
import Testing

@testable import HTTP

/// The server's end, while requests wait for answers.
@Suite struct HTTPServerTests {
  /// A server whose answers are late, with one client.
  private final class Stage {
    private(set) var server: HTTPServer!
    private let asked = Guarded<[HTTPServer.Reply]>([])
    private let client: FileHandle

    init() throws {
      let listener = try Socket(.stream, boundTo: Endpoint(address: .loopback4, port: 0))
      client = FileHandle(
        fileDescriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), closeOnDealloc: true)
      server = try HTTPServer(headers: [], upgraded: { _ in }) { [asked] _ in
        .wait { reply in asked.withLock { $0.append(reply) } }
      }
      let endpoint = Endpoint(address: .loopback4, port: listener.port)
      let result = endpoint.withSockaddr { connect(client.fileDescriptor, $0, $1) }
      guard result == 0 else { throw Fault("can't connect: \(errno)") }
      var accepted: (Socket, Endpoint)?
      try waitUntil("the client is accepted") {
        accepted = listener.accept()
        return accepted != nil
      }
      server.take(accepted!.0, from: accepted!.1)
    }

    /// Sends a request, and returns how to answer it.
    func ask() throws -> HTTPServer.Reply {
      let count = asked.withLock { $0.count }
      try client.write(contentsOf: Data("GET / HTTP/1.1\r\nHost: here\r\n\r\n".utf8))
      try waitUntil("the server asks for the answer") { asked.withLock { $0.count } > count }
      return asked.withLock { $0[count] }
    }

    /// Sends a text, and returns what the client receives until the connection closes.
    func rest(after text: String) throws -> String {
      try client.write(contentsOf: Data(text.utf8))
      defer { server.end() }
      return try rest()
    }

    /// The bytes that the client receives until the connection closes.
    func rest() throws -> String {
      String(decoding: try client.readToEnd() ?? Data(), as: UTF8.self)
    }
  }

  @Test func `a late answer is sent`() throws {
    let stage = try Stage()
    let reply = try stage.ask()
    let thread = Thread { reply { HTTPAnswer(200, Array("late".utf8), type: "text/plain") } }
    thread.start()
    _ = try stage.ask()
    stage.server.end()
    #expect(try stage.rest().hasPrefix("HTTP/1.1 200 OK"))
  }

  @Test func `it ends while requests wait, and answers after its end have no effect`() throws {
    let stage = try Stage()
    let reply = try stage.ask()
    stage.server.end()
    reply { .empty(204) }
    #expect(try !stage.rest().contains("204"))
    stage.server.end()
  }

  @Test func `it ends while another thread answers`() throws {
    for _ in 0..<200 {
      let stage = try Stage()
      let reply = try stage.ask()
      let thread = Thread { reply { .empty(204) } }
      thread.start()
      stage.server.end()
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: localhost\0evil\r\n\r\n", "GET / HTTP/1.1\nHost: here\n\n",
    "GET / HTTP/1.1\r\nHost: here\r\nHost: here\r\n\r\n",
  ])
  func `a malformed request is refused, and its connection closed`(request: String) throws {
    let stage = try Stage()
    #expect(try stage.rest(after: request).hasPrefix("HTTP/1.1 400 "))
  }
}
