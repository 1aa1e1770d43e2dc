import Control
import OSC
import TestSupport
import Testing

@Suite struct GlanceTests {
  /// What the subscriber was told last of the louder input since then, in dB.
  private func level(_ desk: Desk) -> Float? {
    desk.take().filter { $0.address == "/meter" }.compactMap {
      $0.arguments.first?.number.map { Float($0) }
    }.max()
  }

  @Test func `a glance takes no peak from a subscriber, nor a subscriber one from a glance`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/meter"))
    desk.pass(seconds: 0.1)
    _ = (desk.take(), desk.node.glance())
    _ = desk.host.render(Tone.sine(1000, amplitude: 0.5, frames: 4800), block: 64)
    let glance = desk.node.glance()
    // Half of full scale.
    #expect(abs(glance.levels[0] - -6.02) < 0.05)
    #expect(desk.node.glance().levels[0] == -120, "once")
    desk.pass(seconds: 0.1)
    #expect(abs((level(desk) ?? 0) - -6.02) < 0.05)
    _ = desk.host.render(Tone.sine(1000, amplitude: 0.25, frames: 4800), block: 64)
    desk.pass(seconds: 0.1)
    #expect(abs((level(desk) ?? 0) - -12.04) < 0.05)
    #expect(abs(desk.node.glance().levels[0] - -12.04) < 0.05)
  }

  @Test func `a glance tells what the addresses tell`() {
    let desk = Desk()
    #expect(desk.node.glance().player == "start" && desk.node.glance().captured == nil)
    #expect(desk.node.glance().levels.count == 11)
    desk.tell("/player/record")
    desk.pass(seconds: 0.5)
    let glance = desk.node.glance()
    #expect(glance.player == "recording" && glance.clients == 0)
    #expect(desk.tell("/player/state").first?.arguments[2] == .float(glance.position))
    desk.tell("/subscribe", .string("/mute"))
    #expect(desk.node.glance().clients == 1)
  }
}
