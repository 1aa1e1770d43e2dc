import Control
import OSC
import Posix
import TestSupport
import Testing

/// What waits for its time on the control side, and what becomes of it meanwhile.
@Suite struct AgendaTests {
  private let desk = Desk()

  /// A time tag so many seconds after what was rendered.
  private func time(seconds: Double) -> TimeTag {
    let due = (Double(desk.host.frame) / 48_000 + seconds) * 1e6
    return TimeTag(unixMicroseconds: due - HostTime.steadyOfUnixEpoch)
  }

  private func freewheel(_ isOn: Bool) {
    _ = desk.host.render(Tone.constant(0, frames: 64), block: 64, isFreewheeling: isOn)
  }

  @Test func `freewheel that begins between two steps of a tick leaves the node alive`() {
    let mute = [UInt8](address: "/mute", [.int32(1)])
    desk.give([UInt8](bundle: [mute], at: time(seconds: 20)))
    desk.pass()
    // What waits is released after the time is looked at, and the pause reckoned at the end.
    desk.atNextTime = { [self] in freewheel(true) }
    #expect(desk.node.tick() >= 1)
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(0)])])
    freewheel(true)
    _ = desk.node.tick()
    for _ in 0..<20 * 48_000 / 64 { freewheel(true) }
    _ = desk.node.tick()
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(1)])])
  }

  @Test func `freewheel that ends between two steps of a tick leaves the node alive`() {
    let mute = [UInt8](address: "/mute", [.int32(1)])
    freewheel(true)
    _ = desk.node.tick()
    desk.atNextTime = { [self] in
      freewheel(false)
      desk.give([UInt8](bundle: [mute], at: time(seconds: 20)))
    }
    #expect(desk.node.tick() >= 1)
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(0)])])
  }
}
