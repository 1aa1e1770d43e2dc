import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  @Suite struct AccessTests {
    private let server: JackServer
    init() throws { server = try JackServer() }

    @Test(.hangLimit)
    func `addresses that are not allowed receive nothing`() throws {
      let (node, stranger) = try startNode(
        on: server, ["--allow", "192.0.2.0/24", "--allow", "::1"])
      for _ in 0..<3 {
        stranger.send("/ping")
        stranger.send(bytes: [1, 2, 3])
      }
      #expect(stranger.receive(seconds: 0.3) == nil)
      let stream = try StreamPhone(port: node.port)
      #expect(stream.awaitClose())
      let friend = try Phone(port: node.port, host: "::1")
      #expect(friend.ask("/status/denied")?.arguments == [.int32(7)])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `IPv6 works like IPv4`() throws {
      let node = try NodeProcess(server: server, ["--allow", "127.0.0.0/8", "--allow", "::1/128"])
      for host in ["127.0.0.1", "::1"] {
        let phone = try Phone(port: node.port, host: host)
        #expect(phone.ask("/mute")?.arguments == [.int32(0)])
      }
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `closed, it listens on this machine only; open, on all addresses`() throws {
      func listening(_ port: UInt16) throws -> Set<String> {
        // The kernel's own list: local addresses in hexadecimal.
        let lines = try ["udp", "tcp"].flatMap {
          try String(contentsOfFile: "/proc/net/\($0)", encoding: .utf8).split(separator: "\n")
        }
        let hex = String(port, radix: 16, uppercase: true)
        return Set(
          lines.compactMap { line in
            let local = line.split(separator: " ")[1].split(separator: ":")
            return local.last.map(String.init) == String(repeating: "0", count: 4 - hex.count) + hex
              ? String(local[0]) : nil
          })
      }
      let closed = try NodeProcess(server: server)
      #expect(try listening(closed.port) == ["0100007F"])
      #expect(closed.end() == 0)
      let open = try NodeProcess(server: server, ["--listen", "lan"])
      #expect(try listening(open.port) == ["00000000"])
      #expect(open.ready["osc"]?.hasPrefix("osc.udp://") == true)
      #expect(open.end() == 0)
    }

    @Test(.hangLimit)
    func `a busy port ends it with a hint, for either protocol`() throws {
      let first = try NodeProcess(server: server)
      let second = try NodeProcess(
        server: server, ["--port", "\(first.port)"], awaitsReady: false)
      #expect(second.awaitEnd() == 69)
      #expect(second.errors.contains("--port 0"))
      #expect(second.errors.split(separator: "\n").filter { $0.contains("listen") }.count == 1)
      #expect(first.end() == 0)
    }

    @Test(.hangLimit)
    func `the ready line has its address, and so does the file`() throws {
      let node = try NodeProcess(server: server, ["-n", "canary"])
      #expect(node.ready["name"] == "canary")
      #expect(node.ready["rate"] == "48000" && node.ready["block"] == "64")
      #expect(node.ready["osc"] == "osc.udp://127.0.0.1:\(node.port)")
      let file = node.folder.appendingPathComponent("syrinx/canary.url")
      #expect(
        try String(contentsOf: file, encoding: .utf8) == "osc.udp://127.0.0.1:\(node.port)\n")
      #expect(node.end() == 0)
      #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(.hangLimit)
    func `feedback goes to the targets of the command line, from the server's own port`() throws {
      let ear = try Phone(port: 9)
      let node = try NodeProcess(server: server, ["--feedback", "127.0.0.1:\(ear.port)"])
      #expect(ear.receive("/mute")?.arguments == [.int32(0)])
      let phone = try Phone(port: node.port)
      phone.send("/mute", .int32(1))
      #expect(ear.receive("/mute")?.arguments == [.int32(1)])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `settings of the command line apply from the first sample on`() throws {
      let (node, phone) = try startNode(
        on: server, ["--set", "/live/gain=-12", "--set", "/loop/route=direct"])
      #expect(phone.ask("/live/gain")?.arguments == [.float(-12)])
      #expect(phone.ask("/loop/route")?.arguments == [.string("direct")])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `quit ends it cleanly`() throws {
      let (node, phone) = try startNode(on: server)
      phone.send("/quit", .float(0))
      #expect(phone.ask("/mute") != nil)
      phone.send("/quit")
      #expect(node.awaitEnd() == 0)
    }
  }
}
