import Engine
import TestSupport
import Testing

/// Beats that follow a session of Link.
@Suite struct LinkBeatTests {
  private static let block = 64

  /// The frames of the beats of some seconds, and their numbers.
  private func beats(_ host: OfflineHost, seconds: Double) -> [(frame: Int, beat: Int)] {
    var found: [(frame: Int, beat: Int)] = []
    var latest = host.engine.shared.latestBeat.frame
    for _ in 0..<Int(seconds * 48_000) / Self.block {
      _ = host.render(Tone.constant(0, frames: Self.block), block: Self.block)
      let reading = host.engine.shared.latestBeat
      guard reading.frame != latest else { continue }
      latest = reading.frame
      found.append((Int(latest), reading.beat))
    }
    return found
  }

  private func microseconds(_ frame: Double) -> Double { frame / 48_000 * 1e6 }

  @Test(arguments: [0, 256]) func `beats are heard at the times of the session`(latency: Int) {
    let host = OfflineHost()
    host.engine.shared.setOutputDelay(latency)
    // The clock of the blocks has to be known.
    _ = beats(host, seconds: 1)
    host.send(Command(.set(.beat(.source), 2)))
    let origin = Double(host.frame) + 1234
    host.engine.shared.link.put(
      LinkReading(microseconds: microseconds(origin), beat: 5, beatsPerMinute: 97))
    let period = 48_000 * 60 / 97.0
    for beat in beats(host, seconds: 10) {
      let place = (Double(beat.frame + latency) - origin) / period + 5
      // The filtered clock of the blocks is exact here.
      #expect(abs(place - place.rounded()) * period <= 1)
      #expect(beat.beat == Int(place.rounded()) % 4 + 1)
    }
  }

  @Test func `a session's tempo is followed, and none sets the node's without one`() {
    let host = OfflineHost()
    host.send(Command(.set(.beat(.source), 2)))
    _ = beats(host, seconds: 0.1)
    #expect(host.engine.shared.sourceTempo == nil)
    #expect(!host.engine.shared.tempoReading.isLocked)
    for tempo in [20.0, 120, 999] {
      host.engine.shared.link.put(
        LinkReading(
          microseconds: microseconds(Double(host.frame)), beat: 0, beatsPerMinute: tempo))
      _ = beats(host, seconds: 0.1)
      #expect(host.engine.shared.sourceTempo == Float(tempo))
      #expect(host.engine.shared.tempoReading.isLocked)
    }
    host.engine.shared.link.put(nil)
    _ = beats(host, seconds: 0.1)
    #expect(host.engine.shared.sourceTempo == nil)
  }
}
