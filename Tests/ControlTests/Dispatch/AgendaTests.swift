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

  /// Gives a client's bundles of changes that are due so far ahead, and returns how many of the
  /// changes were refused.
  private func fill(_ count: Int, seconds: Double, as client: Client) -> [Received] {
    let mute = [UInt8](address: "/mute", [.int32(1)])
    var told: [Received] = []
    for start in stride(from: 0, to: count, by: 1024) {
      let mutes = Array(repeating: mute, count: min(1024, count - start))
      told += desk.give([UInt8](bundle: mutes, at: time(seconds: seconds)), as: client)
    }
    return told
  }

  @Test func `one machine's programs can't hold all timed places, and others still have theirs`() {
    let greedy = Desk.client(9001)
    let sibling = Desk.client(9002)
    let phone = Desk.client(9000, host: "192.0.2.7")
    let refused = fill(12_288, seconds: 1800, as: greedy)
    #expect(!refused.isEmpty)
    for refusal in refused {
      #expect(refusal.address == "/error" && refusal.arguments[1] == .string("busy"))
      #expect(refusal.arguments[2].text?.contains("8192 timed changes") == true)
    }
    // Another port is not another machine.
    #expect(fill(1, seconds: 1800, as: sibling).count == 1)
    #expect(fill(4096, seconds: 1800, as: phone).isEmpty)
    // What is due at once, or within the next moment, is taken all the same.
    #expect(desk.tell("/live/gain", .float(-6), as: greedy).isEmpty)
  }

  @Test func `what was due makes room in a machine's share`() {
    let greedy = Desk.client(9001)
    #expect(fill(8192, seconds: 2, as: greedy).isEmpty)
    #expect(fill(1, seconds: 2, as: greedy).count == 1)
    desk.pass(frames: 3 * 48_000)
    #expect(fill(8192, seconds: 2, as: greedy).isEmpty)
  }
}
