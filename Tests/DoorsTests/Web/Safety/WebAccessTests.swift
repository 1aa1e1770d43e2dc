import Foundation
import HTTP
import Posix
import TestSupport
import Testing

@testable import Doors

/// The access policy of the web server.
@Suite struct WebAccessTests {
  private static let own = IPAddress("192.168.1.20")!
  private let hosts = HostList(others: ["Studio.example"], addresses: { [own] })

  @Test(arguments: [
    "localhost", "localhost:8080", "LOCALHOST", "localhost.", "127.0.0.1:8080", "[::1]:8080",
    "192.168.1.20:8080", "192.168.1.20", "studio.example:80",
  ])
  func `the machine's own names and addresses are accepted`(host: String) {
    #expect(hosts.allows(host))
  }

  @Test(arguments: [
    "evil.example", "localhost.evil.example", "evil.example:8080", "192.168.1.21", "", ":8080",
    "127.0.0.1.evil.example", "[::1", "[::1]x", "localhost:80x", "127.0.0.1@evil.example",
    "localhost:8080:9",
  ])
  func `all other host names are refused`(host: String) {
    #expect(!hosts.allows(host))
  }

  @Test func `the machine's name is accepted, alone and with .local`() {
    let name = ProcessInfo.processInfo.hostName.split(separator: ".")[0]
    #expect(hosts.allows("\(name)") && hosts.allows("\(name).local:8080"))
  }

  // MARK: - Origins

  private func request(
    _ method: String, origin: String?, host: String = "localhost:8080", socket: Bool = false
  ) -> HTTPRequest {
    var request = HTTPRequest(method, "/", from: .loopback4)
    request[.host] = host
    request[.origin] = origin
    if socket { request[.upgrade] = "WebSocket" }
    return request
  }

  @Test func `a page of another site can't play, send files or open a socket`() {
    let access = WebAccess(hosts: hosts, origins: ["http://desk.example:3000"], token: nil)
    for origin in ["http://evil.example", "null", "http://localhost", "http://localhost:8081"] {
      #expect(access.refusal(of: request("POST", origin: origin))?.status == 403)
      #expect(access.refusal(of: request("GET", origin: origin, socket: true))?.status == 403)
      // Reads are left to the browser, which shows the response to no script of that page.
      #expect(access.refusal(of: request("GET", origin: origin)) == nil)
      #expect(access.readableOrigin(request("GET", origin: origin)) == nil)
    }
    for origin in ["http://localhost:8080", "https://localhost:8080", "http://DESK.example:3000"] {
      #expect(access.refusal(of: request("POST", origin: origin)) == nil)
      #expect(access.refusal(of: request("GET", origin: origin, socket: true)) == nil)
    }
    #expect(access.refusal(of: request("POST", origin: nil)) == nil)
  }

  @Test func `a host name rebound to this machine is refused with its own page`() {
    let access = WebAccess(hosts: hosts, token: nil)
    // Sent by a browser when another site's name resolves to this machine's address.
    for isSocket in [false, true] {
      let rebound = request(
        "GET", origin: "http://evil.example:8080", host: "evil.example:8080", socket: isSocket)
      #expect(access.refusal(of: rebound)?.status == 421)
    }
  }

  // MARK: - Tokens

  @Test func `a token is created once, and readable only by its owner`() throws {
    let folder = try TemporaryFolder()
    let token = try WebToken(home: folder.url.path)
    let text = try #require(token.text)
    #expect(text.utf8.count == 32)
    let mode = try FileManager.default.attributesOfItem(atPath: token.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(try WebToken(home: folder.url.path).text == text)
    #expect(token.matches(text))
    for other in ["", String(text.dropLast()), text + "0", text.uppercased() + " "] {
      #expect(!token.matches(other))
    }
    try token.renew()
    #expect(!token.matches(text) && token.text != nil)
    #expect(folder.names == ["web-token"])
  }

  @Test func `a token that differs in any digits is refused`() throws {
    let folder = try TemporaryFolder()
    let token = WebToken(at: folder.path("web-token"))
    let own = String(repeating: "0123456789abcdef", count: 2)
    try own.write(toFile: token.path, atomically: false, encoding: .utf8)
    let digits = Array(own)
    for place in digits.indices {
      for digit in "0123456789abcdef" where digit != digits[place] {
        var other = digits
        other[place] = digit
        #expect(!token.matches(String(other)), "\(place), \(digit)")
      }
    }
    // All digits but the last differ.
    for digit in "0123456789abcdef" {
      let other = String(repeating: String(digit), count: 31) + "f"
      #expect(!token.matches(other), "\(digit)")
    }
    #expect(token.matches(own))
  }

  @Test func `a file without a token admits nobody`() throws {
    let folder = try TemporaryFolder()
    let token = WebToken(at: folder.path("web-token"))
    for text in ["", "\n", "password", String(repeating: "g", count: 32)] {
      try text.write(toFile: token.path, atomically: false, encoding: .utf8)
      #expect(!token.matches(text) && !token.matches(""))
    }
  }

  @Test func `ten wrong tokens per minute slow an address, and shut out no right one`() throws {
    let folder = try TemporaryFolder()
    let token = try WebToken(home: folder.url.path)
    let access = WebAccess(hosts: hosts, token: token)
    let (one, other) = (IPAddress("10.0.0.1")!, IPAddress("10.0.0.2")!)
    for attempt in 0..<10 {
      #expect(access.pair("wrong", from: one, now: Double(attempt)) == .wrong)
    }
    let text = try #require(token.text)
    #expect(access.pair("wrong", from: one, now: 20) == .tooOften)
    #expect(access.pair("wrong", from: other, now: 20) == .wrong)
    // Behind a proxy, all clients have one address.
    #expect(access.pair(text, from: one, now: 20) == .paired)
    #expect(access.pair("wrong", from: one, now: 21) == .tooOften)
    #expect(access.pair("wrong", from: one, now: 61e6) == .wrong)
    // A missing token is no attempt.
    for _ in 0..<50 { #expect(access.pair("", from: other, now: 30) == .wrong) }
    #expect(access.pair(text, from: other, now: 30) == .paired)
  }

  @Test func `many guessing addresses take no more memory`() throws {
    let folder = try TemporaryFolder()
    let access = WebAccess(hosts: hosts, token: try WebToken(home: folder.url.path))
    var outcomes: Set<WebAccess.Pairing> = []
    for number in 0..<5000 {
      let address = IPAddress("10.0.\(number / 250).\(number % 250 + 1)")!
      outcomes.insert(access.pair("wrong", from: address, now: 0))
    }
    #expect(outcomes == [.wrong, .tooOften])
    let text = try #require(access.token?.text)
    #expect(access.pair(text, from: IPAddress("10.1.0.1")!, now: 0) == .paired)
  }
}
