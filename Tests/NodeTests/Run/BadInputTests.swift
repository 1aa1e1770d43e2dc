import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  @Suite struct BadInputTests {
    private let server: JackServer
    private let node: NodeProcess
    private let phone: Phone

    init() throws { (server, node, phone) = try startNode() }

    private func status(_ name: String) -> Int {
      Int(phone.ask("/status/\(name)")?.arguments[0].number ?? -1)
    }

    @Test(.hangLimit)
    func `every bad packet is answered, and none has an audible effect`() throws {
      let probe = try Probe(server: server.name) { _ in 0.5 }
      try probe.connect(to: "syrinx")
      try probe.awaitPassage()
      let heard = try probe.record {
        for bytes: [UInt8] in [
          [], [0], Array("/abc".utf8), Array("#bundle\0".utf8), [UInt8](repeating: 255, count: 64),
          [UInt8](address: "/live/gain", [.float(-6)]).dropLast(4),
        ] {
          phone.send(bytes: bytes)
          // An empty datagram has no OSC address to reply to, and still gets an error.
          #expect(phone.receive()?.address == "/error", "\(bytes)")
        }
        let long = "/" + String(repeating: "x", count: 10_000)
        phone.send(long)
        #expect(phone.receive()?.arguments[1] == .string("unknown"))
        phone.send("/live/gain", .blob([UInt8](repeating: 7, count: 60_000)))
        #expect(phone.receive()?.arguments[1] == .string("type"))
        phone.send("/live/gain", .string(String(repeating: "s", count: 60_000)))
        #expect(phone.receive()?.arguments[1] == .string("type"))
      }
      #expect(heard.gaps == 0 && heard.samples.allSatisfy { $0 == 0.5 })
      #expect(status("malformed") == 6)
      #expect(status("errors") == 3)
      probe.close()
    }

    @Test(.hangLimit)
    func `a client that stalls in the middle of a message is dropped, and the others play on`()
      throws
    {
      let lame = try StreamPhone(port: node.port)
      lame.write(Array(StreamFraming.frame([UInt8](address: "/ping", []), .lengthPrefix).prefix(7)))
      let sound = try StreamPhone(port: node.port)
      for _ in 0..<600 where !lame.awaitClose(seconds: 0.1) {
        sound.send("/ping", .int32(3), style: .lengthPrefix)
        #expect(sound.receive()?.address == "/pong")
      }
      #expect(lame.isClosed)
      #expect(status("dropped") == 1)
      sound.send("/ping", style: .lengthPrefix)
      #expect(sound.receive()?.address == "/pong")
    }

    @Test(.hangLimit)
    func `a stream that is not OSC is dropped and counted`() throws {
      let garbage = try StreamPhone(port: node.port)
      garbage.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
      #expect(garbage.awaitClose())
      #expect(status("dropped") == 1)
      #expect(status("malformed") == 1)
    }

    @Test(.hangLimit)
    func `a client that never reads costs the others nothing`() throws {
      let deaf = try StreamPhone(port: node.port)
      for _ in 0..<400 { deaf.send("/addresses", style: .lengthPrefix) }
      // A node that waited for the other one to read would wait forever.
      #expect(phone.ask("/status/rate") != nil)
    }

    @Test(.hangLimit, arguments: [StreamFraming.Style.lengthPrefix, .slip])
    func `streams are answered in their own framing`(style: StreamFraming.Style) throws {
      let client = try StreamPhone(port: node.port)
      client.send("/live/gain", .float(-3), style: style)
      client.send("/live/gain", style: style)
      #expect(client.receive() == Received("/live/gain", [.float(-3)]))
      client.send("/subscribe", .string("/mute"), style: style)
      #expect(client.receive() == Received("/mute", [.int32(0)]))
      phone.send("/mute", .int32(1))
      #expect(client.receive() == Received("/mute", [.int32(1)]))
    }

    @Test(.hangLimit)
    func `an unreachable phone is dropped as soon as the network reports it`() throws {
      var gone: Phone? = try Phone(port: node.port)
      gone?.send("/subscribe")
      #expect(gone?.receive() != nil)
      #expect(status("clients") == 1)
      gone = nil
      // The first packet to a port without a listener comes back as an error.
      phone.send("/live/gain", .float(-1))
      try waitUntil("the client is dropped") { status("clients") == 0 }
    }

    @Test(.hangLimit)
    func `a flood is processed to its last message`() throws {
      let count = 20_000
      let before = status("messages")
      for index in 0..<count {
        phone.send("/live/gain", .float(Float(index % 80) - 80))
        if index % 500 == 499 { #expect(phone.ask("/status/rate") != nil) }
      }
      phone.send("/live/gain", .float(-1.5))
      #expect(phone.sync())
      #expect(phone.ask("/live/gain")?.arguments == [.float(-1.5)])
      #expect(status("messages") - before == count + count / 500 + 4)
      #expect(status("refused") == 0)
    }
  }
}
