import Control
import OSC
import TestSupport
import Testing

/// The output in bytes to a sender address that may be forged: the figures of the page on OSC are upper
/// bounds.
@Suite struct ForgedSenderTests {
  private let desk = Desk()
  private let victim = Desk.client(9000, host: "192.0.2.7")

  /// The immediate output for a packet.
  private func answer(to packet: [UInt8]) -> (datagrams: Int, bytes: Int) {
    let before = desk.bytesSent
    let datagrams = desk.give(packet, as: victim).count
    return (datagrams, desk.bytesSent - before)
  }

  /// As many copies of a message as fit in a datagram.
  private func full(of message: [UInt8]) -> [UInt8] {
    let count = (65_507 - 16) / (message.count + 4)
    return [UInt8](bundle: Array(repeating: message, count: count), at: .immediately)
  }

  @Test(arguments: [
    ("/subscribe", 388, 11_300), ("/addresses", 632, 79_000), ("/status", 1, 140),
    ("/grid/layout", 43, 1600), ("/scales", 1, 650), ("/ping", 1, 40), ("/*/*", 172, 4300),
    ("/nothing", 1, 100),
  ])
  func `a single query is answered with no more than the documented amount`(
    path: String, datagrams: Int, bytes: Int
  ) {
    let answer = answer(to: [UInt8](address: path, []))
    #expect(answer.datagrams <= datagrams && answer.bytes <= bytes, "\(path): \(answer)")
    // The documented figure is also not much too high.
    #expect(answer.bytes * 10 > bytes * 8, "\(path): \(answer)")
  }

  @Test(arguments: [
    ("/subscribe", 388, 11_300), ("/addresses", 1100, 139_700), ("/status", 1100, 145_200),
    ("/scales", 1100, 698_300), ("/ping", 1100, 45_200), ("/nothing", 1100, 107_500),
  ])
  func `a full packet of queries is answered with no more than the documented amount`(
    path: String, datagrams: Int, bytes: Int
  ) {
    let answer = answer(to: full(of: [UInt8](address: path, [])))
    #expect(answer.datagrams <= datagrams && answer.bytes <= bytes, "\(path): \(answer)")
    #expect(answer.bytes * 10 > bytes * 8, "\(path): \(answer)")
  }

  @Test(arguments: ["/addresses", "/*/*", "/*"])
  func `a packet that exceeds the reply budget costs no more than one that does not`(path: String) {
    let pings = full(of: [UInt8](address: "/ping", []))
    let questions = full(of: [UInt8](address: path, []))
    let usual = ProcessorTime.least(of: 3) { _ = answer(to: pings) }
    let cost = ProcessorTime.least(of: 3) { _ = answer(to: questions) }
    #expect(cost < 20 * usual, "\(cost) s, and \(usual) s")
  }

  @Test func `long replies are limited to a megabyte per packet`() {
    for number in 0..<100 {
      desk.tell(
        "/scale/user", .string("a-scale-with-a-long-name-\(number)"), .int32(0),
        .int32(7))
    }
    let one = answer(to: [UInt8](address: "/scales", [])).bytes
    #expect(one > 2000)
    let all = answer(to: full(of: [UInt8](address: "/scales", []))).bytes
    #expect(all > 1_000_000 && all < 1_048_576 + one + 200)
  }

  @Test func `a subscription that is never renewed receives 150 kB within its minute, and expires`()
  {
    desk.tell("/subscribe", as: victim)
    let before = desk.bytesSent
    desk.pass(frames: 60 * 48_000)
    let sent = desk.bytesSent - before
    #expect(sent > 100_000 && sent < 150_000)
    desk.pass(frames: 2 * 48_000)
    let end = desk.bytesSent
    desk.pass(frames: 10 * 48_000)
    #expect(desk.bytesSent == end)
  }
}
