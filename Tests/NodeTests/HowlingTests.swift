import Foundation
import Howl
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The guard against howling in the running node, whose output comes back to its input.
  @Suite struct HowlingTests {
    /// Ten milliseconds of way from the loudspeaker to the microphone, and a resonance at 1 kHz: no
    /// other way round is as loud within 3 dB.
    private final class Way: @unchecked Sendable {
      private static let frames = 480
      private static let size = 4096
      // Of the quiet sound by which all howls begin.
      private static let hiss: Float = 0.001

      private let lock = NSLock()
      private var line = [Float](repeating: 0, count: Way.size)
      private var (first, second) = (Float(0), Float(0))
      private var chance = Chance(1)
      // Keeps the frequency over the width: five.
      private let tangent = Float(tan(Double.pi * 1000 / 48_000))

      /// What the microphone hears in a frame.
      func sample(_ frame: UInt32) -> Float {
        lock.withLock {
          let place = Int(frame) % Self.size
          let sample = line[place] + Self.hiss * Float(chance.noise())
          // What a lost block did not bring is silent a round later.
          line[place] = 0
          return sample
        }
      }

      /// Takes in what the loudspeaker plays.
      func hear(_ frame: UInt32, _ samples: UnsafeBufferPointer<Float>) {
        let share = 1 / (1 + tangent * (tangent + 0.2))
        lock.withLock {
          for (index, sample) in samples.enumerated() {
            let middle = share * (first + tangent * (sample - second))
            let low = second + tangent * middle
            first = 2 * middle - first
            second = 2 * low - second
            line[(Int(frame) + index + Self.frames) % Self.size] = 0.2 * middle
          }
        }
      }
    }

    private func level(_ block: [Float]) -> Float {
      Float(Measure.level(block[...]))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a howl ends when the guard is turned on, and is found anew when it is cleared`() throws {
      let (server, node, phone) = try startNode()
      let way = Way()
      let probe = try Probe(server: server.name, plays: way.sample)
      probe.listen(way.hear)
      try probe.connect(to: "syrinx")
      // 2 dB more than comes back.
      phone.send("/live/gain", .float(2))
      try probe.awaitBlock("there is a howl") { level($0) > 0.3 }

      phone.send("/guard/hold", .float(600))
      phone.send("/guard/on", .int32(1))
      try probe.awaitBlock("the howl is over") { level($0) < 0.02 }
      let notches = try #require(phone.ask("/guard/notches")).arguments.compactMap(\.number)
      #expect((1...8).contains(notches.count / 2))
      // The resonance is at 1 kHz, and ways round are 100 Hz apart.
      #expect(abs(notches[0] - 1000) < 100)
      #expect(notches[1] == -30)

      let ear = try Phone(port: node.port)
      ear.send("/subscribe", .string("/guard/notches"))
      // So soft nothing howls: what is let go stays so.
      phone.send("/live/gain", .float(-20))
      phone.send("/guard/clear")
      try waitUntil("the notches are told to be gone") {
        ear.receive("/guard/notches")?.arguments.isEmpty == true
      }
      phone.send("/live/gain", .float(2))
      try waitUntil("the howl is found again") {
        ear.receive("/guard/notches")?.arguments.isEmpty == false
      }

      phone.send("/guard/on", .int32(0))
      try probe.awaitBlock("it howls again") { level($0) > 0.3 }
      #expect(phone.ask("/guard/notches")?.arguments.isEmpty == true)
      probe.close()
      #expect(node.end() == 0)
    }
  }
}
