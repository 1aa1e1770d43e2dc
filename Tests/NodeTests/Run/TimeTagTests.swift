import Foundation
import OSC
import Posix
import Synchronization
import TestSupport
import Testing

extension NodeTests {
  @Suite struct TimeTagTests {
    // A ramp's last steps are too small for a float to change on each frame: the level is constant
    // only when the ramp has ended.
    private static let restFrames = 200

    /// Records the frame of each change of a constant signal.
    private final class Ear: @unchecked Sendable {
      let turnstile = Turnstile()
      private var last: Float = .nan
      private var steady = 0
      private(set) var changes: [Int64] = []

      func hear(_ frame: UInt32, _ samples: UnsafeBufferPointer<Float>) {
        let first = turnstile.widen(frame)
        for (index, sample) in samples.enumerated() {
          if sample == last {
            steady += 1
          } else {
            if steady >= TimeTagTests.restFrames { changes.append(first + Int64(index)) }
            steady = 0
            last = sample
          }
        }
        turnstile.pass(first + Int64(samples.count))
      }
    }

    @Test(.hangLimit)
    func `in freewheel, ten thousand timed bundles land on their frames`() throws {
      let count = 10_000
      let (server, node, phone) = try startNode(block: 1024)
      let probe = try Probe(server: server.name) { _ in 0.5 }
      try probe.connect(to: "syrinx")
      try probe.awaitPassage()
      let ear = Ear()
      probe.listen(ear.hear)
      probe.setFreewheel(true)
      try phone.awaitFreewheel()
      ear.turnstile.hold()
      // The node's callback runs before the recorder's, so its clock mapping is fixed now.
      let clock = try #require(phone.ask("/clock")).arguments
      guard case .int64(let frame0) = clock[0], case .timeTag(let time0) = clock[1],
        case .double(let rate) = clock[2]
      else {
        Issue.record("\(clock)")
        return
      }
      #expect(rate == 48_000)
      let before = ear.changes.count
      var expected: [Int64] = []
      var frame = ear.turnstile.heard + 20_000
      var generator = SystemRandomNumberGenerator()
      let wall = time0.unixMicroseconds
      while expected.count < count {
        var packets: [[UInt8]] = []
        for _ in 0..<100 {
          // A ramp of 1 dB settles within about 1600 frames.
          frame += Int64.random(in: 2400...2700, using: &generator)
          expected.append(frame)
          let time = TimeTag(unixMicroseconds: wall + Double(frame - frame0) / rate * 1e6)
          let gain: Float = expected.count % 2 == 0 ? 0 : -1
          packets.append(
            [UInt8](bundle: [[UInt8](address: "/live/gain", [.float(gain)])], at: time))
        }
        for packet in packets { phone.send(bytes: packet) }
        // The reply confirms that all of them have been received.
        _ = try #require(phone.ask("/status/rate"))
        ear.turnstile.open(until: frame - 5000)
      }
      ear.turnstile.open(until: .max)
      ear.turnstile.awaitHeard(frame + 48_000)
      probe.setFreewheel(false)
      probe.listen(nil)
      let heard = Array(ear.changes.dropFirst(before))
      let exact = zip(heard, expected).filter { $0 == $1 }.count
      print("time-tagged bundles on their exact frame in freewheel: \(exact) of \(count)")
      #expect(
        exact == count, "the first ones differ by \(zip(heard, expected).prefix(8).map { $0 - $1 })"
      )
      #expect(heard.count == count)
      #expect(phone.ask("/status/late")?.arguments == [.int32(0)])
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `on a running clock a timed bundle lands near its time, and late ones are counted`() throws
    {
      let (server, node, phone) = try startNode(block: 256)
      let probe = try Probe(server: server.name) { _ in 0.5 }
      try probe.connect(to: "syrinx")
      try probe.pass(seconds: 2, "the smoothed clock settles")
      // The frame of a time, by the node's present clock.
      func frame(at time: Double) throws -> Double {
        let clock = try #require(phone.ask("/clock")).arguments
        guard case .int64(let frame) = clock[0], case .timeTag(let start) = clock[1] else {
          throw Fault("\(clock)")
        }
        return Double(frame) + (time - start.unixMicroseconds) / 1e6 * 48_000
      }
      var (tries, measured) = (0, 0)
      while measured < 5 {
        var due = 0.0...0
        var missing = 0.0
        let heard = try probe.record {
          let (begun, first) = (HostTime.steady, probe.heardFrames)
          let time = Date().timeIntervalSince1970 * 1e6 + 200_000
          let before = try frame(at: time)
          phone.send(
            bytes: [UInt8](
              bundle: [[UInt8](address: "/live/gain", [.float(tries % 2 == 0 ? -1 : 0)])],
              at: TimeTag(unixMicroseconds: time)))
          try probe.pass(seconds: 0.4, "the change comes after 0.2 s, and the gain settles")
          let after = try frame(at: time)
          due = min(before, after)...max(before, after)
          missing = (HostTime.steady - begun) * 0.048 - Double(probe.heardFrames - first)
        }
        // A busy machine delays the server's frames: then a time maps to another frame from moment to moment.
        tries += 1
        guard due.upperBound - due.lowerBound < 96, missing < 512 else {
          if tries < 100 { continue }
          throw Fault("the server never kept pace for 0.4 s")
        }
        measured += 1
        let samples = heard.samples
        let changes = samples.indices.dropFirst(Self.restFrames).filter { index in
          samples[index] != samples[index - 1]
            && samples[index - Self.restFrames..<index].allSatisfy { $0 == samples[index - 1] }
        }
        #expect(changes.count == 1)
        // The clock is smoothed from times that this machine's load delays by a millisecond or two;
        // without the filter they would be late by more than a block.
        for change in changes {
          let landed = Double(Int64(heard.start) + Int64(change))
          #expect(
            landed > due.lowerBound - 96 && landed < due.upperBound + 96, "\(landed), \(due)")
        }
      }
      let late = Int32(phone.ask("/status/late")?.arguments[0].number ?? -1)
      phone.send(
        bytes: [UInt8](
          bundle: [[UInt8](address: "/mute", [.int32(1)])],
          at: TimeTag(unixMicroseconds: Date().timeIntervalSince1970 * 1e6 - 1e6)))
      #expect(phone.sync())
      #expect(phone.ask("/mute")?.arguments == [.int32(1)])
      #expect(phone.ask("/status/late")?.arguments == [.int32(late + 1)])
      probe.close()
      #expect(node.end() == 0)
    }
  }
}
