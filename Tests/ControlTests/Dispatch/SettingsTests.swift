import Control
import Engine
import OSC
import TestSupport
import Testing

@Suite struct SettingsTests {
  @Test func `a setting can have a time, near or far`() throws {
    let desk = Desk()
    let clock = desk.host.engine.shared.clockReading
    let due = { clock.microseconds + $0 * clock.microsecondsPerFrame }
    try desk.node.set("/live/gain=-6", at: due(1000))
    try desk.node.set("/live/route=off", at: due(90_000))
    #expect(throws: Refusal.self) { try desk.node.set("/live/gain=99", at: due(1000)) }
    let output = desk.host.render(Tone.constant(0.5, frames: 4096), block: 64)
    // The last clock reading was for the previous buffer, 64 frames earlier.
    #expect(output.live.firstIndex { $0 != 0.5 } == 1000 - 64)
    desk.pass(frames: 48_000)
    #expect(desk.tell("/live/route") == [Received("/live/route", [.string("chain")])])
    desk.pass(frames: 48_000)
    #expect(desk.tell("/live/route") == [Received("/live/route", [.string("off")])])
    #expect(desk.host.engine.shared.lateCount == 0)
  }

  @Test(arguments: [
    ("/live/gain", Refusal.Code.type), ("live/gain=1", .type), ("/nothing=1", .unknown),
    ("/live/gain=loud", .type), ("/live/gain=99", .range), ("/live/gain=nan", .range),
    ("/ping=1", .type), ("/live/route=up", .range),
  ])
  func `invalid settings are refused`(text: String, code: Refusal.Code) {
    let desk = Desk()
    do throws(Refusal) {
      try desk.node.set(text)
      Issue.record("accepted: \(text)")
    } catch {
      #expect(error.code == code)
    }
  }
}
