import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Keyboards, the metronome, and the transport, at the node's ports.
  @Suite struct MIDITests {
    private let server: JackServer
    private let node: NodeProcess
    private let phone: Phone

    init() throws { (server, node, phone) = try startNode() }

    /// The onsets of clicks.
    private func clicks(_ samples: [Float]) -> [Int] {
      var last = -1000
      return samples.indices.filter { index in
        guard samples[index] != 0 else { return false }
        defer { last = index }
        return index - last > 500
      }
    }

    @Test(.hangLimit)
    func `a controller at the port changes its mapped address, also after a restart`() throws {
      let keyboard = try MIDIProbe(server: server.name)
      try keyboard.connect(to: "syrinx", listening: false, phone: phone)
      phone.send("/midi/learn", .string("/live/gain"))
      #expect(phone.sync())
      // -9 dB, below the present 0 dB: a soft takeover.
      keyboard.play([0xB4, 74, 64])
      let learnt = phone.receive("/midi/learnt")
      #expect(learnt?.arguments.first == .string("/live/gain"))
      #expect(learnt?.arguments.last == .string("controller:74@5"))
      keyboard.play([0xB4, 74, 127])
      try phone.awaitValue(of: "/live/gain", .float(24))
      #expect(node.end() == 0)
      let (again, other) = try startNode(on: server, home: node.home)
      #expect(other.ask("/live/gain")?.arguments == [.float(24)])
      try keyboard.connect(to: "syrinx", listening: false, phone: other)
      // On another channel: a binding has the channel only for its light.
      keyboard.play([0xB0, 74, 0])
      try other.awaitValue(of: "/live/gain", .float(-90))
      keyboard.close()
      #expect(again.end() == 0)
    }

    @Test(.hangLimit)
    func `any bytes at a port leave the node intact`() throws {
      let keyboard = try MIDIProbe(server: server.name)
      try keyboard.connect(to: "syrinx", listening: false, phone: phone)
      for status in 0x80...0xFF as ClosedRange<UInt8> {
        keyboard.play([status])
        keyboard.play([status, 60])
        keyboard.play([status, 60, 100])
        keyboard.play([0xF0] + [UInt8](repeating: status & 127, count: 200) + [0xF7])
      }
      try keyboard.awaitPlayed()
      #expect(phone.sync())
      keyboard.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `clicks are at their port and in the mix, a beat apart to the frame`() throws {
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "click")
      phone.send("/metronome/bpm", .float(240))
      phone.send("/metronome/on", .int32(1))
      #expect(phone.sync())
      let heard = try probe.record(seconds: 1.5)
      #expect(heard.gaps == 0)
      let found = clicks(heard.samples)
      #expect(found.count >= 5)
      // The first one may have started earlier.
      let steps = zip(found.dropFirst(), found.dropFirst(2)).map { $1 - $0 }
      #expect(steps.allSatisfy { $0 == 12_000 })
      phone.send("/metronome/on", .int32(0))
      #expect(phone.sync())
      try probe.awaitBlock("the last click has ended") { $0.allSatisfy { $0 == 0 } }
      #expect(try probe.record(seconds: 0.3).samples.allSatisfy { $0 == 0 })
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `the transport has the node's bars and beats, which match the clicks`() throws {
      let keyboard = try MIDIProbe(server: server.name)
      let probe = try Probe(server: server.name)
      try probe.connect(to: "syrinx", output: "click")
      phone.send("/metronome/bpm", .float(150))
      phone.send("/metronome/beats", .int32(3))
      phone.send("/metronome/on", .int32(1))
      phone.send("/transport/lead", .int32(1))
      #expect(phone.sync())
      keyboard.roll(true)
      try waitUntil("the transport has bars and beats") { !keyboard.takePositions().isEmpty }
      _ = keyboard.takePositions()
      let heard = try probe.record(seconds: 1.2)
      let positions = keyboard.takePositions()
      #expect(heard.gaps == 0)
      let found = clicks(heard.samples).dropFirst()
      #expect(found.count >= 2)
      for click in found {
        let frame = heard.start &+ UInt32(click)
        let block = try #require(positions.last { Int32(bitPattern: frame &- $0.frame) >= 0 })
        #expect(block.tempo == 150)
        // A beat has 19,200 frames. The position is exact except for the rounding of a double.
        let beat = block.beat + Double(frame &- block.frame) / 19_200
        #expect(abs(beat - beat.rounded()) < 1e-6)
        #expect((0...3).contains(Int(beat.rounded())))
      }
      keyboard.roll(false)
      // The node releases it at its exit.
      #expect(node.end() == 0)
      #expect(keyboard.takeTimebase(conditionally: true))
      keyboard.close()
      probe.close()
    }

    @Test(.hangLimit)
    func `another timebase master is not displaced, and can displace the node`() throws {
      let keyboard = try MIDIProbe(server: server.name)
      #expect(keyboard.takeTimebase())
      phone.send("/transport/lead", .int32(1))
      #expect(phone.receive("/error")?.arguments[1] == .string("state"))
      #expect(phone.ask("/transport/lead")?.arguments == [.int32(0)])
      keyboard.releaseTimebase()
      phone.send("/transport/lead", .int32(1))
      try phone.awaitValue(of: "/transport/lead", .int32(1))
      letPass(seconds: 0.3, "the timebase stays with it")
      #expect(phone.ask("/transport/lead")?.arguments == [.int32(1)])
      phone.send("/subscribe", .string("/transport/lead"))
      #expect(phone.receive("/transport/lead")?.arguments == [.int32(1)])
      #expect(keyboard.takeTimebase())
      #expect(phone.receive("/transport/lead")?.arguments == [.int32(0)])
      keyboard.close()
      #expect(node.end() == 0)
    }
  }
}
