import Control
import Engine
import Foundation
import OSC
import TestSupport
import Testing

/// Notes held by many clients.
@Suite struct HeldNotesTests {
  private let desk = Desk()

  /// A bundle that starts every key.
  private static let keys = [UInt8](
    bundle: (0..<128).map { [UInt8](address: "/note/on", [.int32($0)]) }, at: .immediately)

  private func press(ports: Int) -> [Received] {
    var told: [Received] = []
    for port in 0..<ports {
      told += desk.give(Self.keys, as: Desk.client(UInt16(10_000 + port)))
      if port % 8 == 0 { desk.pass(seconds: 0) }
    }
    return told
  }

  @Test func `too many held notes are refused with the limit`() {
    let told = press(ports: 40)
    #expect(told.count == 40 * 128 - 2048)
    #expect(
      told.allSatisfy {
        $0.address == "/error" && $0.arguments[0] == .string("/note/on")
          && $0.arguments[1] == .string("busy")
      })
    #expect(
      told.first?.arguments[2]
        == .string("more than 2048 held notes; /note/allOff ends all"))
    // A held note can be started again, and slid.
    let first = Desk.client(10_000)
    #expect(desk.tell("/note/on", .int32(5), as: first).isEmpty)
    #expect(desk.tell("/note/off", .int32(5), as: first).isEmpty)
    #expect(desk.tell("/note/allOff").isEmpty)
    desk.pass()
    #expect(desk.tell("/note/on", .int32(5)).isEmpty)
    desk.pass()
    #expect(desk.host.engine.shared.notes.level(of: .key(5)) > 0)
  }

  @Test func `a slide has room when no note has`() {
    #expect(desk.tell("/grid/touch", .int32(1), .int32(1), as: Desk.client(9000)).isEmpty)
    #expect(!press(ports: 20).isEmpty)
    desk.pass(frames: 9600)
    #expect(desk.tell("/grid/slide", .int32(1), .int32(2), as: Desk.client(9000)).isEmpty)
    desk.pass()
    #expect(desk.host.engine.shared.notes.level(of: .cell(1)) > 0)
    let other = Desk.client(9100, host: "192.0.2.7")
    #expect(
      desk.tell("/grid/slide", .int32(1), .int32(3), as: other).first?.arguments[1]
        == .string("busy"))
  }

  @Test func `notes of other clients add no cost to a packet, and end in linear time`() {
    let friend = Desk.client(9000, host: "192.0.2.7")
    let playing = {
      desk.tell("/note/on", .int32(3), as: friend)
      desk.tell("/ping", as: friend)
      desk.tell("/note/off", .int32(3), as: friend)
    }
    let alone = ProcessorTime.least { for _ in 0..<10 { playing() } }
    _ = press(ports: 200)
    let among = ProcessorTime.least { for _ in 0..<10 { playing() } }
    desk.pass()
    #expect(among < 20 * alone + 0.002)
    #expect(ProcessorTime.least { _ = desk.tell("/note/allOff") } < 0.1)
  }

  @Test func `a lease ends any number of held notes`() {
    _ = press(ports: 16)
    desk.pass(seconds: 61)
    // Some of the note ends fit in a buffer.
    desk.pass(frames: 4800)
    #expect((0..<128).allSatisfy { desk.host.engine.shared.notes.level(of: .key($0)) == 0 })
    #expect(press(ports: 16).isEmpty)
  }
}
