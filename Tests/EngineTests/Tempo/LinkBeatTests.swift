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

  @Test func `a new tempo holds from when the session has it, not from when it is known here`() {
    let host = OfflineHost()
    _ = beats(host, seconds: 1)
    host.send(Command(.set(.beat(.source), 2)))
    let origin = Double(host.frame)
    host.engine.shared.link.put(
      LinkReading(microseconds: microseconds(origin), beat: 0, beatsPerMinute: 120))
    _ = beats(host, seconds: 1.3)
    // 20 beats per minute for 60 ms: a tenth of a beat less has passed.
    let changed = Double(host.frame) - 2880
    let beat = (changed - origin) / 24_000
    host.engine.shared.link.put(
      LinkReading(microseconds: microseconds(changed), beat: beat, beatsPerMinute: 20))
    let found = beats(host, seconds: 7)
    #expect(found.count == 2)
    for one in found {
      let place = (Double(one.frame) - changed) / 144_000 + beat
      #expect(abs(place - place.rounded()) * 144_000 <= 1, "\(place)")
    }
  }

  @Test func `MIDI clock starts with the first bar of a session that plays, and stops with it`() {
    let host = OfflineHost()
    _ = beats(host, seconds: 1)
    host.send(Command(.set(.beat(.source), 2)))
    host.send(Command(.set(.beat(.sendsClock), 1)))
    let origin = Int(host.frame)
    func put(start: Double) {
      let reading = LinkReading(
        microseconds: microseconds(Double(origin)), beat: 0, beatsPerMinute: 120, start: start)
      host.engine.shared.link.put(reading)
    }
    func messages(frames: Int) -> [OfflineHost.MIDIMessage] {
      let first = Int(host.frame) - origin
      return host.render(Tone.constant(0, frames: frames), block: Self.block).midi
        .filter { $0.bytes != [0xF8] }
        .map { OfflineHost.MIDIMessage(first + $0.frame, $0.bytes) }
    }
    put(start: .infinity)
    #expect(messages(frames: 50_000).isEmpty)
    // On its second bar, and in the middle of one.
    put(start: microseconds(Double(origin) + 96_000))
    #expect(messages(frames: 100_000) == [OfflineHost.MIDIMessage(96_000, [0xFA])])
    put(start: .infinity)
    #expect(messages(frames: 10_000).map(\.bytes) == [[0xFC]])
    put(start: microseconds(Double(origin) + 200_000))
    #expect(messages(frames: 192_000) == [OfflineHost.MIDIMessage(288_000, [0xFA])])
    // A session that has played for long goes on at its place.
    host.send(Command(.set(.beat(.source), 0)))
    _ = messages(frames: 64)
    host.send(Command(.set(.beat(.source), 2)))
    let later = messages(frames: 24_000).map(\.bytes)
    #expect(later.last == [0xFB], "\(later)")
  }
}
