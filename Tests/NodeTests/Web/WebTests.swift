import Foundation
import HTTP
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// The running node's web server.
  @Suite struct WebTests {
    private let server: JackServer
    init() throws { server = try JackServer() }

    private static let page = ["Accept": "text/html"]

    @Test(.hangLimit)
    func `a node reports its page, and so does the command`() throws {
      let node = try NodeProcess(server: server, ["--web", "18471"])
      #expect(node.ready["web"] == "http://127.0.0.1:18471/")
      let phone = try WebPhone(port: node.webPort)
      #expect(try phone.get("/", Self.page).headers["content-type"]?.hasPrefix("text/html") == true)
      #expect(try phone.get("/status/server?VALUE").text == #"{"VALUE":["running"]}"#)
      let environment = ["XDG_RUNTIME_DIR": node.folder.path, "XDG_DATA_HOME": node.folder.path]
      let shown = try NodeProcess.run(["web"], environment: environment)
      #expect(shown.code == 0 && shown.output.contains("█"))
      #expect(shown.output.hasSuffix("\nhttp://127.0.0.1:18471/\n"))
      let address = try NodeProcess.run(["web", "--address"], environment: environment)
      #expect(address.output == "http://127.0.0.1:18471/\n")
      let free = try NodeProcess.run(["web", "--renew"], environment: environment)
      #expect(free.code == 64 && free.errors.contains("has no token"))
      let taken = try NodeProcess.run(
        ["run", "--server", server.name, "--home", node.home, "--port", "0", "--web", "18471"],
        environment: environment)
      #expect(taken.code == 69 && taken.errors.contains("--web sets another port"))
      #expect(node.end() == 0)
      let gone = try NodeProcess.run(["web"], environment: environment)
      #expect(gone.code == 69 && gone.errors.contains("no node named \"syrinx\""))
    }

    @Test(.hangLimit)
    func `a note over a WebSocket sounds, and ends with its client`() throws {
      let node = try NodeProcess(
        server: server, ["--web", "18472"], environment: ["SYRINX_SOUNDFONTS": "none"])
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "grid_1")
      var phone: WebPhone? = try WebPhone(port: node.webPort)
      try phone?.open(["Origin": "http://127.0.0.1:18472", "Host": "127.0.0.1:18472"])
      phone?.send("/grid/instrument", .string("organ"))
      #expect(phone?.receive("/reply")?.arguments.first == .string("/grid/instrument"))
      phone?.send("/note/on", .int32(69), .float(0.8))
      try waitUntil("the note sounds") {
        try (probe.record(frames: 4800).samples.map(abs).max() ?? 0) > 0.01
      }
      phone = nil
      var frames = 0
      try waitUntil("the output is silent", every: 0) {
        let heard = try probe.record(frames: 4800).samples
        frames += heard.count
        return (heard.map(abs).max() ?? 1) < 1e-4
      }
      // Two blocks, the instrument's release, and the margin of the recording.
      #expect(frames < 48_000)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `on a network it requires its token, which is in no log`() throws {
      let node = try NodeProcess(server: server, ["--web", "18473", "--listen", "lan"])
      let path = node.home + "/web-token"
      let token = try String(contentsOfFile: path, encoding: .utf8).filter { !$0.isWhitespace }
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(token.count == 32 && mode as? Int == 0o600)
      #expect(!node.ready.values.contains { $0.contains(token) })
      // It is printed after the ready line.
      try waitUntil("the node prints the hint") { node.errors.contains("`syrinx web`") }
      let environment = ["XDG_RUNTIME_DIR": node.folder.path, "XDG_DATA_HOME": node.folder.path]
      let shown = try NodeProcess.run(["web", "--address"], environment: environment)
      #expect(shown.output.hasSuffix("/#t=\(token)\n"))
      let words = try NodeProcess.run(["web"], environment: environment).output
      #expect(words.contains("needs no token"))
      let stranger = try WebPhone(port: node.webPort)
      try stranger.open()
      stranger.send("/mute", .int32(1))
      #expect(stranger.receive("/error")?.arguments[1] == .string("denied"))
      let friend = try WebPhone(port: node.webPort)
      try friend.open(["Authorization": "Bearer \(token)"])
      friend.send("/mute")
      #expect(friend.receive("/mute")?.arguments == [.int32(0)])
      // A user who has lost a phone creates a new token.
      #expect(try NodeProcess.run(["web", "--renew"], environment: environment).code == 0)
      #expect(friend.awaitClose())
      #expect(node.end() == 0)
      #expect(!node.errors.contains(token))
    }

    @Test(.hangLimit)
    func `with --tls its port speaks HTTPS, too, and sends browsers of other machines there`()
      throws
    {
      let node = try NodeProcess(
        server: server, ["--web", "18475", "--listen", "lan", "--tls"])
      let page = try #require(node.ready["web"])
      #expect(page.hasPrefix("https://") && page.hasSuffix(":18475/"))
      // A machine without a network has no address for others.
      let host = String(page.dropFirst(8).prefix { $0 != ":" })
      let plain = try WebPhone(port: node.webPort, host: host)
      let answer = try plain.get("/", Self.page.merging(["Host": "\(host):18475"]) { $1 })
      if IPAddress(host)?.isLoopback == false {
        #expect(answer.status == 307 && answer.headers["location"] == page)
      }
      // This machine's browsers trust HTTP, and other programs know nothing else.
      #expect(try WebPhone(port: node.webPort).get("/", Self.page).status == 200)
      #expect(try plain.get("/status/server?VALUE").text == #"{"VALUE":["running"]}"#)
      let certificate = try plain.get("/certificate")
      #expect(certificate.headers["content-type"] == "application/x-x509-ca-cert")
      let trusted = node.folder.appendingPathComponent("trusted.pem")
      try Data(certificate.body).write(to: trusted)
      setenv("SSL_CERT_FILE", trusted.path, 1)
      defer { unsetenv("SSL_CERT_FILE") }
      let client = HTTPClient(userAgent: "test")
      for host in [host, "localhost"] {
        let url = try #require(HTTPPlace("https://\(host):18475/status/server?VALUE"))
        let reply = try client.perform(HTTPCall("GET", url))
        #expect(String(decoding: reply.body, as: UTF8.self) == #"{"VALUE":["running"]}"#)
      }
      #expect(node.errors.contains("\(host):18475/certificate"))
      let environment = ["XDG_RUNTIME_DIR": node.folder.path, "XDG_DATA_HOME": node.folder.path]
      let shown = try NodeProcess.run(["web"], environment: environment).output
      let fingerprint = try #require(
        node.errors.split(separator: "\n").first { $0.contains("/certificate") }?
          .split(separator: " ").last)
      #expect(fingerprint.count == 95 && shown.contains(fingerprint))
      // A connection that never says what it speaks.
      let silent = try WebPhone(port: node.webPort)
      #expect(node.end() == 0)
      #expect(silent.awaitClose())
      let again = try NodeProcess(
        server: server, ["--web", "18475", "--listen", "lan", "--tls"],
        home: node.home)
      #expect(
        try WebPhone(port: again.webPort).get("/certificate").body == certificate.body)
      #expect(again.end() == 0)
      #expect(!again.errors.contains("certificate authority"))
      let off = try NodeProcess.run(["run", "--tls", "--web", "0", "--home", node.home])
      #expect(off.code == 64 && off.errors.contains("--tls needs the web page"))
    }

    @Test(.hangLimit)
    func `a second node takes the next port, unless its port was given`() throws {
      // Without a port, as typed by hand.
      let nodes = try (0..<2).map {
        try NodeProcess(server: server, ["--name", "node\($0)", "--web-open"], hasPage: true)
      }
      let ports = nodes.map(\.webPort)
      #expect(Set(ports).count == 2 && !ports.contains(0))
      for (index, node) in nodes.enumerated() {
        #expect(
          try WebPhone(port: node.webPort).get("/?HOST_INFO").text
            .hasPrefix(#"{"NAME":"node\#(index)""#))
      }
      for node in nodes { #expect(node.end() == 0) }
    }

    @Test(.hangLimit)
    func `sixty-four phones play at once`() throws {
      let node = try NodeProcess(server: server, ["--web", "18474"])
      let phones = try (0..<64).map { _ in
        let phone = try WebPhone(port: node.webPort)
        try phone.open()
        return phone
      }
      for round in 0..<10 {
        for (index, phone) in phones.enumerated() {
          phone.send("/ping", .int32(Int32(round * 64 + index)))
        }
        for (index, phone) in phones.enumerated() {
          #expect(phone.receive("/pong")?.arguments[0] == .int32(Int32(round * 64 + index)))
        }
      }
      #expect(node.end() == 0)
      for phone in phones { #expect(phone.awaitClose()) }
    }
  }
}
