import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  @Suite(.enabled(if: geteuid() == 0, "network namespaces require root"))
  struct ForgedSenderTests {
    private let server: JackServer
    private let cable: Cable

    init() throws {
      server = try JackServer()
      cable = try Cable()
    }

    private func node(_ arguments: String...) throws -> NodeProcess {
      try cable.near.inside {
        try NodeProcess(server: server, ["--listen", "lan"] + arguments)
      }
    }

    /// Sends a message from the other machine, with a forged sender.
    private func forge(
      _ path: String, _ arguments: Argument..., from sender: String, to node: NodeProcess
    ) throws {
      try cable.far.inside {
        try Cable.forge(
          [UInt8](address: path, arguments), from: sender, to: cable.near.address6,
          port: node.port)
      }
    }

    @Test(.hangLimit)
    func `an IPv4 sender mapped into IPv6 is refused, whatever is allowed`() throws {
      for allowed in [[], ["--allow", "127.0.0.1", "--allow", "::1"]] {
        let node = try cable.near.inside {
          try NodeProcess(server: server, ["--listen", "lan"] + allowed)
        }
        let phone = try cable.near.inside { try Phone(port: node.port, host: "::1") }
        let areDenied = try areDenied(phone) {
          try forge("/mute", .int32(1), from: "::ffff:127.0.0.1", to: node)
          try forge("/quit", from: "::ffff:127.0.0.1", to: node)
        }
        #expect(areDenied)
        #expect(phone.ask("/mute")?.arguments == [.int32(0)])
        #expect(node.isRunning)
        #expect(node.end() == 0)
      }
    }

    @Test(.hangLimit)
    func `quit is refused to another machine that forges the node's address`() throws {
      let node = try node()
      // The owner of the address receives the error.
      let owner = try cable.near.inside {
        try Socket(
          .datagrams,
          boundTo: Endpoint(address: IPAddress(cable.near.address6)!, port: Cable.forgedPort))
      }
      // Until two machines have resolved each other, the first packets can be lost.
      var answer: Received?
      try waitUntil("the error arrives") {
        try forge("/quit", from: cable.near.address6, to: node)
        answer = received(owner)
        return answer != nil
      }
      #expect(answer?.address == "/error")
      #expect(answer?.arguments.dropFirst().first == .string("denied"))
      #expect(node.isRunning)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `quit is refused to another machine with its own address`() throws {
      let node = try node()
      let answer = try cable.far.inside {
        let socket = try Socket(.datagrams, boundTo: Endpoint(address: .any6, port: 0))
        let target = Endpoint(address: IPAddress(cable.near.address6)!, port: node.port)
        socket.send([UInt8](address: "/quit", []), to: target)
        return received(socket, seconds: waitLimit)
      }
      #expect(answer?.address == "/error")
      #expect(answer?.arguments.dropFirst().first == .string("denied"))
      #expect(node.isRunning)
      #expect(node.end() == 0)
    }

    // The kernel reports such a packet as received from the network, like a real one.
    @Test(.hangLimit)
    func `quit from the node's own network address is refused with a hint where to send it`() throws
    {
      let node = try node()
      for address in [cable.near.address4, cable.near.address6] {
        let socket = try cable.near.inside {
          let own = IPAddress(address)!
          let socket = try Socket(.datagrams, boundTo: Endpoint(address: own, port: 0))
          socket.send([UInt8](address: "/quit", []), to: Endpoint(address: own, port: node.port))
          return socket
        }
        let text = received(socket, seconds: waitLimit)?.arguments.last?.text
        #expect(text?.hasSuffix("at 127.0.0.1 or ::1") == true, "\(address)")
      }
      #expect(node.isRunning)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `over a connection quit is accepted from the node's own machine only`() throws {
      let node = try node()
      let stranger = try cable.far.inside {
        try StreamPhone(port: node.port, host: cable.near.address4)
      }
      stranger.send("/quit", style: .lengthPrefix)
      #expect(stranger.receive()?.arguments.dropFirst().first == .string("denied"))
      let friend = try cable.near.inside {
        try StreamPhone(port: node.port, host: cable.near.address4)
      }
      friend.send("/quit", style: .lengthPrefix)
      #expect(node.awaitEnd() == 0)
    }

    // Until the machines have resolved each other, packets can be lost: they are sent again.
    private func areDenied(_ phone: Phone, _ send: () throws -> Void) throws -> Bool {
      var denied = 0.0
      try? waitUntil("all of them are denied") {
        try send()
        denied = phone.ask("/status/denied")?.arguments[0].number ?? 0
        // More than one of each.
        return denied >= 4
      }
      return denied >= 4
    }

    private func received(_ socket: Socket, seconds: Double = 2) -> Received? {
      let loop = EventLoop()
      loop.watch(socket.descriptor) {}
      loop.turn(milliseconds: Int(seconds * 1000))
      var messages: [Received] = []
      _ = DatagramReader().read(socket) { bytes, _ in messages += Received.all(in: bytes) }
      return messages.first
    }
  }
}
