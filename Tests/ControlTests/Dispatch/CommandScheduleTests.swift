import Control
import OSC
import Posix
import TestSupport
import Testing

/// Scheduled commands on the control side.
@Suite struct CommandScheduleTests {
  private let desk = Desk()

  /// A time tag a number of seconds after the rendered audio.
  private func time(seconds: Double) -> TimeTag {
    let due = (Double(desk.host.frame) / 48_000 + seconds) * 1e6
    return TimeTag(unixMicroseconds: due - HostTime.steadyOfUnixEpoch)
  }

  private func freewheel(_ isOn: Bool) {
    _ = desk.host.render(Tone.constant(0, frames: 64), block: 64, isFreewheeling: isOn)
  }

  @Test func `freewheeling that starts within a tick is handled`() {
    let mute = [UInt8](address: "/mute", [.int32(1)])
    desk.give([UInt8](bundle: [mute], at: time(seconds: 20)))
    desk.pass()
    // Commands are released after the time is read, before the delay is computed.
    desk.atNextTime = { [self] in freewheel(true) }
    #expect(desk.node.tick() >= 1)
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(0)])])
    freewheel(true)
    _ = desk.node.tick()
    for _ in 0..<20 * 48_000 / 64 { freewheel(true) }
    _ = desk.node.tick()
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(1)])])
  }

  @Test func `freewheeling that ends within a tick is handled`() {
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

  /// Sends bundles of changes due at a time ahead, and returns the number refused.
  private func fill(_ count: Int, seconds: Double, as client: Client) -> [Received] {
    let mute = [UInt8](address: "/mute", [.int32(1)])
    var told: [Received] = []
    for start in stride(from: 0, to: count, by: 1024) {
      let mutes = Array(repeating: mute, count: min(1024, count - start))
      told += desk.give([UInt8](bundle: mutes, at: time(seconds: seconds)), as: client)
    }
    return told
  }

  @Test func `one host can't occupy all timed slots, and others still have theirs`() {
    let greedy = Desk.client(9001)
    let sibling = Desk.client(9002)
    let phone = Desk.client(9000, host: "192.0.2.7")
    let refused = fill(12_288, seconds: 1800, as: greedy)
    #expect(!refused.isEmpty)
    for refusal in refused {
      #expect(refusal.address == "/error" && refusal.arguments[1] == .string("busy"))
      #expect(refusal.arguments[2].text?.contains("8192 timed changes") == true)
    }
    // Another port is not another host.
    #expect(fill(1, seconds: 1800, as: sibling).count == 1)
    #expect(fill(4096, seconds: 1800, as: phone).isEmpty)
    // Immediate commands, and those due soon, are still accepted.
    #expect(desk.tell("/live/gain", .float(-6), as: greedy).isEmpty)
  }

  @Test func `due commands free the slots of a host`() {
    let greedy = Desk.client(9001)
    #expect(fill(8192, seconds: 2, as: greedy).isEmpty)
    #expect(fill(1, seconds: 2, as: greedy).count == 1)
    desk.pass(frames: 3 * 48_000)
    #expect(fill(8192, seconds: 2, as: greedy).isEmpty)
  }
}
