import Control
import OSC
import Posix
import TestSupport
import Testing

/// Scheduled recordings of phrases, each of which allocates its memory when planned.
@Suite struct PhraseRoomTests {
  private let desk = Desk()

  private func records(_ count: Int, at time: TimeTag) -> [UInt8] {
    [UInt8](
      bundle: Array(repeating: [UInt8](address: "/phrase/record", []), count: count), at: time)
  }

  /// A time tag a number of seconds after the rendered audio.
  private func time(seconds: Double) -> TimeTag {
    let due = (Double(desk.host.frame) / 48_000 + seconds) * 1e6
    return TimeTag(unixMicroseconds: due - HostTime.steadyOfUnixEpoch)
  }

  @Test func `a bundle with many recordings makes room for a few, and refuses the others`() {
    let told = desk.give(records(900, at: .immediately))
    #expect(told.count == 900 - 8)
    #expect(
      told.allSatisfy {
        $0
          == Received(
            "/error",
            [
              .string("/phrase/record"), .string("busy"),
              .string("8 recordings of phrases are already scheduled; try again later"),
            ])
      })
    desk.pass()
    #expect(desk.tell("/phrase/state").first?.arguments.first == .string("recording"))
    #expect(desk.give(records(8, at: .immediately)).isEmpty)
  }

  @Test func `scheduled recordings count until their time`() {
    #expect(desk.give(records(8, at: time(seconds: 2))).isEmpty)
    #expect(desk.tell("/phrase/record").first?.arguments[1] == .string("busy"))
    desk.pass(frames: 3 * 48_000)
    #expect(desk.tell("/phrase/record").isEmpty)
  }

  @Test func `those of a refused bundle don't count`() {
    let filling = Array(repeating: [UInt8](address: "/mute", [.int32(0)]), count: 4096)
    let record = [UInt8](address: "/phrase/record", [])
    for _ in 0..<20 {
      let told = desk.give([UInt8](bundle: [record] + filling, at: .immediately))
      #expect(told.count == 1 && told[0].arguments[1] == .string("busy"))
    }
    #expect(desk.tell("/phrase/record").isEmpty)
    desk.pass()
    #expect(desk.tell("/phrase/state").first?.arguments.first == .string("recording"))
  }
}
