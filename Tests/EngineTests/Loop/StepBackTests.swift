import Engine
import TestSupport
import Testing

/// A server whose frame count steps back, under the same driver.
@Suite struct StepBackTests {
  @Test(arguments: [65, 4000, 12_000] as [UInt32])
  func `a scheduled command waits for the same time`(back: UInt32) {
    let host = OfflineHost()
    let due = 9600
    host.send(Command(.set(.mixer(.mute), 1), at: Int64(host.frame) + Int64(due)))
    var output = host.render(Tone.constant(0.5, frames: 4800), block: 64).left
    host.stepBack(frames: back)
    output += host.render(Tone.constant(0.5, frames: 64), block: 64).left
    #expect(host.events().isEmpty)
    output += host.render(Tone.constant(0.5, frames: 9600), block: 64).left
    #expect(host.events().count == 1 && host.engine.shared.lateCount == 0)
    #expect(output.firstIndex { $0 != 0.5 } == due)
  }

  @Test func `the beat continues unchanged`() throws {
    let host = OfflineHost()
    host.send(Command(.set(.metronome(.on), 1)))
    var click = host.render(Tone.constant(0, frames: 36_000), block: 64).click
    host.stepBack(frames: 5000)
    click += host.render(Tone.constant(0, frames: 60_000), block: 64).click
    let begins = click.indices.filter { index in
      click[index] != 0 && click[max(0, index - 2000)..<index].allSatisfy { $0 == 0 }
    }
    try #require(begins.count == 4)
    for (one, next) in zip(begins, begins.dropFirst()) { #expect(next - one == 24_000) }
  }

  @Test func `so does the time of a frame`() {
    let host = OfflineHost()
    _ = host.render(Tone.constant(0, frames: 48_000), block: 64)
    let before = host.engine.shared.clockReading
    host.stepBack(frames: 3000)
    _ = host.render(Tone.constant(0, frames: 640), block: 64)
    let later = host.engine.shared.clockReading
    #expect(later.frame == before.frame + 640)
    #expect(later.frame(at: later.microseconds + 1e6) == later.frame + 48_000)
  }
}
