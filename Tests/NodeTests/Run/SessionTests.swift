import Foundation
import Library
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// Against a session manager of twenty lines.
  @Suite struct SessionTests {
    fileprivate final class Manager {
      let socket: Socket
      private let reader = DatagramReader()
      private var client: Endpoint?
      private var inbox: [Received] = []

      init() throws {
        socket = try Socket(.datagrams, boundTo: Endpoint(address: .loopback4, port: 0))
      }

      var url: String { "osc.udp://127.0.0.1:\(socket.port)/" }

      func receive() -> Received? {
        try? waitUntil("the node sends a message") {
          _ = reader.read(socket) { bytes, sender in
            client = sender.endpoint
            inbox += Received.all(in: bytes)
          }
          return !inbox.isEmpty
        }
        return inbox.isEmpty ? nil : inbox.removeFirst()
      }

      func send(_ address: String, _ arguments: Argument...) {
        socket.send([UInt8](address: address, arguments), to: client!)
      }

      /// Sends a message from another sender.
      func slip(_ address: String, _ texts: String...) {
        let stranger = try? Socket(.datagrams, boundTo: Endpoint(address: .loopback4, port: 0))
        stranger?.send([UInt8](address: address, texts.map(Argument.string)), to: client!)
      }

      /// Accepts the node.
      func welcome() -> Bool {
        guard receive()?.address == "/nsm/server/announce" else { return false }
        send(
          "/reply", .string("/nsm/server/announce"), .string(""), .string(""), .string(""))
        return true
      }

      /// The node's messages until its reply.
      private(set) var news: [String] = []

      /// Sends a request, and returns the reply.
      func ask(_ address: String, _ texts: String...) -> Received? {
        socket.send([UInt8](address: address, texts.map(Argument.string)), to: client!)
        while let message = receive() {
          if message.address == "/reply" || message.address == "/error" { return message }
          news.append(message.address)
        }
        return nil
      }

      func open(_ folder: String, as name: String) -> Bool {
        ask("/nsm/client/open", folder, "a session", name)?.arguments
          == [.string("/nsm/client/open"), .string("opened \(name)")]
      }

      func save() -> Bool {
        ask("/nsm/client/save")?.arguments == [.string("/nsm/client/save"), .string("saved")]
      }

      /// The next message of the node.
      func next() -> String? { receive()?.address }
    }

    @Test(.hangLimit)
    func `it opens, saves, switches and ends at its manager's requests`() throws {
      let server = try JackServer()
      let manager = try Manager()
      let node = try NodeProcess(
        server: server, environment: ["NSM_URL": manager.url], awaitsReady: false)
      let announce = try #require(manager.receive())
      #expect(announce.address == "/nsm/server/announce")
      #expect(announce.arguments.map(\.tag) == ["s", "s", "s", "i", "i", "i"])
      #expect(announce.arguments[1].text == ":dirty:switch:")
      #expect(announce.arguments[3...] == [.int32(1), .int32(1), .int32(node.id)])
      manager.send(
        "/reply", .string("/nsm/server/announce"), .string("hello"), .string("fake"), .string(""))

      let (one, two) = (
        node.folder.appendingPathComponent("one").path,
        node.folder.appendingPathComponent("two").path
      )
      manager.send("/nsm/client/open", .string(one), .string("One"), .string("Syrinx.nABC"))
      #expect(manager.receive()?.arguments.first == .string("/nsm/client/open"))
      try node.awaitReady()
      #expect(node.ready["name"] == "Syrinx.nABC")
      let phone = try Phone(port: node.port)
      phone.send("/live/gain", .float(-5))
      #expect(phone.sync())
      #expect(manager.save())

      manager.send("/nsm/client/open", .string(two), .string("Two"), .string("Syrinx.nXYZ"))
      #expect(manager.receive()?.address == "/reply")
      #expect(phone.ask("/live/gain")?.arguments == [.float(0)])
      let probe = try Probe(server: server.name)
      #expect(probe.ports(of: "Syrinx.nABC").isEmpty)
      #expect(!probe.ports(of: "Syrinx.nXYZ").isEmpty)
      probe.close()

      manager.send("/nsm/client/open", .string(one), .string("One"), .string("Syrinx.nABC"))
      #expect(manager.receive()?.address == "/reply")
      #expect(phone.ask("/live/gain")?.arguments == [.float(-5)])

      manager.slip("/nsm/client/open", two, "Two", "Syrinx.nXYZ")
      letPass(seconds: 0.3, "the node would have switched by then")
      #expect(phone.ask("/live/gain")?.arguments == [.float(-5)])

      manager.send("/nsm/client/open", .string("/proc/nowhere"), .string("x"), .string("y"))
      #expect(manager.receive()?.address == "/error")
      #expect(phone.ask("/live/gain")?.arguments == [.float(-5)])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a session has all settings, its takes, and no state from outside`() throws {
      let server = try JackServer()
      // First without a manager: settings made then do not belong to sessions.
      let alone = try NodeProcess(server: server, isHomeUsual: true)
      let usual = alone.folder.appendingPathComponent("syrinx").path
      var phone = try Phone(port: alone.port)
      phone.send("/grid/root", .string("G"))
      phone.send("/live/gain", .float(-1))
      #expect(phone.sync())
      #expect(alone.end() == 0)
      let before = try String(contentsOfFile: usual + "/state/syrinx", encoding: .utf8)

      let manager = try Manager()
      let node = try NodeProcess(
        server: server, environment: ["NSM_URL": manager.url, "XDG_DATA_HOME": alone.folder.path],
        awaitsReady: false, isHomeUsual: true)
      #expect(manager.welcome())
      let (one, two) = (
        node.folder.appendingPathComponent("one").path,
        node.folder.appendingPathComponent("two").path
      )
      #expect(manager.open(one, as: "a"))
      try node.awaitReady()
      #expect(node.ready["home"] == one)
      phone = try Phone(port: node.port)
      // It exists when the node is ready, also on a busy machine.
      try phone.awaitValue(of: "/grid/instrument", .string("piano"))
      #expect(phone.ask("/grid/root")?.arguments == [.string("A")])
      #expect(phone.ask("/live/gain")?.arguments == [.float(0)])
      let values: [(String, Argument)] = [
        ("/grid/root", .string("D")), ("/live/gain", .float(-6)), ("/grid/sustain", .int32(1)),
        ("/settings/autoplay", .int32(1)), ("/grid/instrument", .string("violin")),
      ]
      for (path, value) in values { phone.send(path, value) }
      try phone.awaitValue(of: "/grid/instrument", .string("violin"))
      phone.send("/capture/on", .int32(1))
      try waitUntil("a part of a second is captured") {
        phone.ask("/capture/state")?.arguments[1].number ?? 0 > 0.2
      }
      phone.send("/capture/on", .int32(0))
      #expect(phone.receive("/reply")?.arguments[0] == .string("/capture/on"))
      #expect(manager.next() == "/nsm/client/is_dirty")
      #expect(manager.save())
      #expect(manager.news == ["/nsm/client/is_clean"])

      #expect(manager.open(two, as: "b"))
      #expect(phone.ask("/takes/total")?.arguments == [.int32(0)])
      // Instruments load in the background, and replace the old one when they are complete.
      try phone.awaitValue(of: "/grid/instrument", .string("piano"))
      for (path, value) in values { #expect(phone.ask(path)?.arguments != [value], "\(path)") }
      #expect(manager.open(one, as: "a"))
      try phone.awaitValue(of: "/grid/instrument", .string("violin"))
      for (path, value) in values { #expect(phone.ask(path)?.arguments == [value], "\(path)") }
      try phone.awaitValue(of: "/takes/total", .int32(1))
      #expect(node.end() == 0)

      #expect(try String(contentsOfFile: usual + "/state/syrinx", encoding: .utf8) == before)
      #expect(try TakeLibrary(home: usual).list(count: 1).total == 0)
      #expect(!FileManager.default.fileExists(atPath: one + "/state"))
      let again = try NodeProcess(
        server: server, environment: ["XDG_DATA_HOME": alone.folder.path], isHomeUsual: true)
      phone = try Phone(port: again.port)
      #expect(phone.ask("/grid/root")?.arguments == [.string("G")])
      #expect(phone.ask("/live/gain")?.arguments == [.float(-1)])
      #expect(again.end() == 0)
    }

    @Test(.hangLimit)
    func `a damaged session is not opened; the last one continues, but is not saved`()
      throws
    {
      let server = try JackServer()
      let manager = try Manager()
      let node = try NodeProcess(
        server: server, environment: ["NSM_URL": manager.url], awaitsReady: false)
      #expect(manager.welcome())
      let folder = node.folder.appendingPathComponent("one").path
      #expect(manager.open(folder, as: "a"))
      try node.awaitReady()
      let phone = try Phone(port: node.port)
      phone.send("/live/gain", .float(-6))
      #expect(phone.sync())
      let bad = node.folder.appendingPathComponent("bad")
      try FileManager.default.createDirectory(at: bad, withIntermediateDirectories: false)
      try Data("syrinx state 1\n".utf8).write(to: bad.appendingPathComponent("session"))
      let refusal = manager.ask("/nsm/client/open", bad.path, "Bad", "b")
      #expect(refusal?.address == "/error" && refusal?.arguments[1] == .int32(-9))
      #expect(phone.ask("/live/gain")?.arguments == [.float(-6)])
      let unsaved = manager.ask("/nsm/client/save")
      #expect(unsaved?.address == "/error" && unsaved?.arguments[1] == .int32(-6))
      #expect(!FileManager.default.fileExists(atPath: folder + "/session"))
      #expect(manager.open(folder, as: "a"))
      #expect(manager.save())
      #expect(node.end() == 0)
    }
  }

  @Suite struct LoneSessionTests {
    @Test(.hangLimit, arguments: ["osc.udp://127.0.0.1:9/", "nonsense"])
    func `without a reply from a manager it runs on its own, and reports that`(url: String) throws {
      let server = try JackServer()
      let home = try TemporaryFolder()
      for round in 0..<2 {
        let (node, phone) = try startNode(
          on: server, ["--set", "/in/gain=-1"], environment: ["NSM_URL": url],
          home: home.url.path)
        #expect(node.ready["name"] == "syrinx")
        // As without a manager, it has its own state.
        #expect(phone.ask("/live/gain")?.arguments == [.float(round == 0 ? 0 : -4)])
        #expect(phone.ask("/in/gain")?.arguments == [.float(-1)])
        phone.send("/live/gain", .float(-4))
        #expect(phone.sync())
        #expect(node.end() == 0)
      }
    }

    @Test(.hangLimit)
    func `a session opened before the server runs joins it later`() throws {
      let server = try JackServer()
      server.stop()
      let manager = try SessionTests.Manager()
      let node = try NodeProcess(
        server: server, environment: ["NSM_URL": manager.url], awaitsReady: false)
      #expect(manager.receive()?.address == "/nsm/server/announce")
      manager.send("/reply", .string("/nsm/server/announce"), .string(""), .string(""), .string(""))
      let folder = node.folder.appendingPathComponent("one").path
      manager.send("/nsm/client/open", .string(folder), .string("One"), .string("late"))
      #expect(manager.receive()?.address == "/reply")
      try node.awaitReady()
      let phone = try Phone(port: node.port)
      #expect(phone.ask("/status/server")?.arguments == [.string("gone")])
      phone.send("/live/gain", .float(-2))
      #expect(phone.sync())
      try server.start()
      try phone.awaitServer("running")
      let probe = try Probe(server: server.name)
      #expect(!probe.ports(of: "late").isEmpty)
      probe.close()
      #expect(node.end() == 0)
    }
  }

  @Suite struct ServiceManagerTests {
    @Test(.hangLimit)
    func `it notifies systemd when it is ready, and when it stops`() throws {
      let server = try JackServer()
      let path = NSTemporaryDirectory() + "syrinx-notify-\(UUID().uuidString.prefix(8))"
      let listener = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      defer {
        close(listener)
        unlink(path)
      }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(bound == 0)
      let node = try NodeProcess(server: server, environment: ["NOTIFY_SOCKET": path])
      func next() -> String {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = recv(listener, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      }
      #expect(next().hasPrefix("READY=1\n"))
      #expect(node.end() == 0)
      #expect(next() == "STOPPING=1")
    }
  }
}
