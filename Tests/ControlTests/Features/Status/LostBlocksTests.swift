import Control
import Engine
import OSC
import Posix
import TestSupport
import Testing

/// The losses of sound, as reported to clients.
@Suite struct LostBlocksTests {
  private let desk = Desk()

  private func block(_ number: Int, _ cause: String = "cpu") -> LostBlock {
    LostBlock(
      number: number, time: 1.7e15 + Double(number) * 1e6, milliseconds: 5.25, cause: cause,
      detail: "other programs had the CPU for 5.0 ms")
  }

  private func row(_ number: Int, _ cause: String = "cpu") -> Received {
    let date = ZonedDate(microseconds: 1_700_000_000_000_000 + number * 1_000_000).text
    return Received(
      "/lost",
      [
        .string(date), .float(5.25), .string(cause),
        .string("other programs had the CPU for 5.0 ms"),
      ])
  }

  private func end(_ count: Int32) -> Received { Received("/lost/end", [.int32(count)]) }

  @Test func `losses are listed with time, length, cause and evidence, newest first`() {
    #expect(desk.tell("/status/lost") == [end(0)])
    desk.lost = [block(1), block(2, "own"), block(3)]
    #expect(desk.tell("/status/lost") == [row(3), row(2, "own"), row(1), end(3)])
    #expect(desk.tell("/status/lost", .int32(2)) == [row(3), row(2, "own"), end(2)])
  }

  @Test func `a count out of range is refused`() {
    for count: Int32 in [0, 101] {
      #expect(desk.tell("/status/lost", .int32(count)).first?.address == "/error")
    }
  }

  @Test func `each loss is announced once`() {
    desk.tell("/subscribe", .string("/lost"))
    desk.pass()
    _ = desk.take()
    desk.lost = [block(1), block(2)]
    desk.pass()
    #expect(desk.take() == [row(1), row(2)])
    desk.lost = [block(2), block(3)]
    desk.pass()
    desk.pass()
    #expect(desk.take() == [row(3)])
    // Another link counts from 1 again.
    desk.lost = [block(1, "server")]
    desk.pass()
    #expect(desk.take() == [row(1, "server")])
  }
}
