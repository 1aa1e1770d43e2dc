import Posix
import Testing

@testable import HTTP

/// Strict parsing of request heads.
@Suite struct HTTPRequestHeadTests {
  private static let host = "Host: localhost\r\n"

  /// Scans and parses a text; the status of the refusal is thrown.
  private func head(_ text: String) throws -> HTTPRequestHead {
    var scanner = HTTPHeadScanner()
    let bytes = Array(text.utf8)
    guard case .whole(let count) = scanner.scan(bytes) else { throw HTTPRequestHead.fault("bytes") }
    return try HTTPRequestHead(bytes[..<count], from: .loopback4)
  }

  private func status(_ text: String) -> Int? {
    do {
      _ = try head(text)
      return nil
    } catch {
      return (error as? HTTPAnswer)?.status
    }
  }

  @Test func `a head has its parts`() throws {
    let head = try head(
      "POST /files/a%20b%C3%A4?name=x+y%26&VALUE HTTP/1.1\r\nhost:  localhost:8080 \r\n"
        + "Accept: a\r\nAccept: b\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n")
    #expect(head.request.method == "POST" && head.request.path == "/files/a bä")
    #expect(head.request.query.map(\.name) == ["name", "VALUE"])
    #expect(head.request.query.map(\.value) == ["x y&", nil])
    #expect(head.request[.host] == "localhost:8080" && head.request[.accept] == "a, b")
    #expect(head.framing == .counted(12) && head.awaitsContinue && !head.isLast)
  }

  @Test func `the client's wish to close is followed`() throws {
    #expect(try head("GET / HTTP/1.0\r\n\r\n").isLast)
    #expect(try head("GET / HTTP/1.1\r\n\(Self.host)Connection: Keep-Alive, Close\r\n\r\n").isLast)
    #expect(try !head("GET / HTTP/1.1\r\n\(Self.host)Connection: Upgrade\r\n\r\n").isLast)
  }

  @Test func `an absolute URI is accepted for the host of the header only`() throws {
    let head = try head("GET http://LOCALHOST/mute?VALUE HTTP/1.1\r\n\(Self.host)\r\n")
    #expect(head.request.path == "/mute" && head.request.query.map(\.name) == ["VALUE"])
    #expect(try self.head("GET http://localhost HTTP/1.1\r\n\(Self.host)\r\n").request.path == "/")
    for uri in [
      "http://evil.example/", "http://localhost@evil.example/", "http:///", "ftp://localhost/",
    ] {
      #expect(status("GET \(uri) HTTP/1.1\r\n\(Self.host)\r\n") == 400, "\(uri)")
    }
  }

  @Test(arguments: [
    "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
    "Content-Length: 3\r\nContent-Length: 3\r\n",
    "Content-Length: 3, 3\r\n", "Content-Length: +3\r\n", "Content-Length: -3\r\n",
    "Content-Length:\r\n",
    "Content-Length: 0x3\r\n", "Host: localhost\r\n", "Origin: a\r\nOrigin: b\r\n",
    "X: a\r\n b\r\n",
    "X: a\r\n\tb\r\n", "X : a\r\n", ": a\r\n", "X\r\n", "X: a\nY: b\r\n", "X: a\rY: b\r\n",
    "X: \0\r\n",
    "X: \u{7F}\r\n", "Ä: a\r\n",
  ])
  func `a head that servers could read differently is refused`(fields: String) {
    #expect(status("POST / HTTP/1.1\r\n\(Self.host)\(fields)\r\n") == 400)
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\0evil\r\n\r\n",
    "GET / HTTP/1.1\nHost: localhost\n\n", "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /\r\nHost: localhost\r\n\r\n", "GET / / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "G(T / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /%4 HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /%FF HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /?a=% HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /#a HTTP/1.1\r\nHost: localhost\r\n\r\n",
    " GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "\u{16}\u{3}\u{1}",
  ])
  func `a malformed head is refused`(text: String) {
    #expect(status(text) == 400)
  }

  @Test func `unsupported versions and codings are reported as such`() throws {
    #expect(status("GET / HTTP/2.0\r\n\(Self.host)\r\n") == 505)
    #expect(
      status("POST / HTTP/1.1\r\n\(Self.host)Transfer-Encoding: gzip, chunked\r\n\r\n") == 501)
    let length = String(repeating: "9", count: 30)
    #expect(status("POST / HTTP/1.1\r\n\(Self.host)Content-Length: \(length)\r\n\r\n") == 413)
    let chunked = try head("POST / HTTP/1.1\r\n\(Self.host)Transfer-Encoding: Chunked\r\n\r\n")
    #expect(chunked.framing == .chunked)
  }

  @Test func `a head is found in pieces of any size`() {
    let head = Array("GET / HTTP/1.1\r\n\(Self.host)\r\nnext".utf8)
    var scanner = HTTPHeadScanner()
    for count in 1..<head.count - 4 { #expect(scanner.scan(Array(head[..<count])) == .open) }
    #expect(scanner.scan(head) == .whole(head.count - 4))
    #expect(scanner.isBehindFirstLine)
  }
}
