import TestSupport
import Testing

@testable import Engine

@Suite struct SpeechRingTests {
  private let ring = SpeechRing()

  private func play(_ frames: Int) -> [Float] {
    var port = [Float](repeating: .nan, count: frames)
    port.withUnsafeMutableBufferPointer {
      ring.pointer.play(to: $0.baseAddress!, frames: frames)
    }
    return port
  }

  @Test func `phrases are played in order, and silence after them`() {
    #expect(play(64).allSatisfy { $0 == 0 })
    let first = Tone.noise(frames: 100, seed: 1)
    let second = Tone.noise(frames: 60, seed: 2)
    #expect(ring.say(first, interrupting: false) && ring.say(second, interrupting: false))
    #expect(ring.waiting == 160)
    #expect(play(64) + play(64) + play(64) == first + second + [Float](repeating: 0, count: 32))
    #expect(ring.waiting == 0)
  }

  @Test func `a newer phrase ends the older one within a block, without a step`() {
    #expect(ring.say(Tone.constant(1, frames: 1000), interrupting: false))
    _ = play(64)
    #expect(ring.say(Tone.constant(0.5, frames: 100), interrupting: true))
    #expect(ring.waiting == 100)
    let last = play(64)
    #expect(zip(last, last.dropFirst()).allSatisfy { abs($0 - $1 - 1.0 / 64) < 1e-6 })
    #expect(last.last == 0)
    #expect(play(64).allSatisfy { $0 == 0.5 })
    #expect(ring.waiting == 36)
  }

  @Test func `a stopped phrase leaves silence, also where the ring wraps`() {
    for round in 0..<5 {
      let phrase = Tone.noise(frames: SpeechRing.capacity / 3, seed: UInt64(round + 1))
      #expect(ring.say(phrase, interrupting: false))
      #expect(play(phrase.count) == phrase, "round \(round)")
    }
    #expect(ring.say(Tone.constant(1, frames: 1000), interrupting: false))
    ring.stop()
    #expect(ring.waiting == 0)
    _ = play(64)
    #expect(play(64).allSatisfy { $0 == 0 })
  }

  @Test func `a phrase that doesn't fit is refused, and the current one is played to its end`() {
    let most = Tone.noise(frames: SpeechRing.capacity - 10, seed: 7)
    #expect(ring.say(most, interrupting: false))
    #expect(!ring.say(Tone.constant(1, frames: 11), interrupting: true))
    #expect(play(most.count) == most)
    #expect(ring.say(Tone.constant(1, frames: 11), interrupting: false))
  }
}
