import Control
import OSC
import TestSupport
import Testing

@Suite struct NodeSummaryTests {
  /// The last peak sent to the subscriber for the louder input, in dB.
  private func level(_ desk: Desk) -> Float? {
    desk.take().filter { $0.address == "/meter" }.compactMap {
      $0.arguments.first?.number.map { Float($0) }
    }.max()
  }

  @Test func `a summary takes no peak from a subscriber, nor a subscriber one from a summary`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/meter"))
    desk.pass(seconds: 0.1)
    _ = (desk.take(), desk.node.summary())
    _ = desk.host.render(Tone.sine(1000, amplitude: 0.5, frames: 4800), block: 64)
    let summary = desk.node.summary()
    // Half of full scale.
    #expect(abs(summary.levels[0] - -6.02) < 0.05)
    #expect(desk.node.summary().levels[0] == -120, "once")
    desk.pass(seconds: 0.1)
    #expect(abs((level(desk) ?? 0) - -6.02) < 0.05)
    _ = desk.host.render(Tone.sine(1000, amplitude: 0.25, frames: 4800), block: 64)
    desk.pass(seconds: 0.1)
    #expect(abs((level(desk) ?? 0) - -12.04) < 0.05)
    #expect(abs(desk.node.summary().levels[0] - -12.04) < 0.05)
  }

  @Test func `a summary has the values of the addresses`() {
    let desk = Desk()
    #expect(desk.node.summary().player == "start" && desk.node.summary().captured == nil)
    #expect(desk.node.summary().levels.count == 11)
    desk.tell("/player/record")
    desk.pass(seconds: 0.5)
    let summary = desk.node.summary()
    #expect(summary.player == "recording" && summary.clients == 0)
    #expect(desk.tell("/player/state").first?.arguments[2] == .float(summary.position))
    desk.tell("/subscribe", .string("/mute"))
    #expect(desk.node.summary().clients == 1)
  }
}
