import Control
import OSC
import TestSupport
import Testing

/// How much one packet makes the node send, to an address that may be forged.
@Suite struct AmplificationTests {
  private let desk = Desk()

  private func bundle(_ count: Int, of message: [UInt8]) -> [UInt8] {
    [UInt8](bundle: Array(repeating: message, count: count), at: .immediately)
  }

  @Test func `a packet of very many subscriptions is sent one snapshot`() {
    let once = desk.tell("/subscribe", as: Desk.client(9001))
    #expect(once.count > 100)
    let told = desk.give(bundle(3250, of: [UInt8](address: "/subscribe", [])))
    #expect(told.count == once.count)
    #expect(Set(told.map(\.address)) == Set(once.map(\.address)))
    // Another packet is another snapshot.
    #expect(desk.tell("/subscribe").count == once.count)
  }

  @Test func `subscriptions of one packet send each value once, whatever covers it`() {
    let patterns = ["/live", "/live/gain", "/*/gain", "/live"].map {
      [UInt8](address: "/subscribe", [.string($0)])
    }
    let told = desk.give([UInt8](bundle: patterns, at: .immediately)).map(\.address)
    #expect(told.count { $0 == "/live/gain" } == 1)
    #expect(told.count { $0 == "/live/route" } == 1)
    #expect(told.contains("/out/gain"))
    desk.tell("/out/gain", .float(-3), as: Desk.client(9001))
    desk.pass()
    #expect(desk.take().map(\.address) == ["/out/gain"])
  }

  @Test func `a snapshot counts among the answers to its packet`() {
    let pings = Array(repeating: [UInt8](address: "/ping", []), count: 1000)
    let told = desk.give(
      [UInt8](bundle: pings + [[UInt8](address: "/subscribe", [])], at: .immediately))
    #expect(told.count == 1024)
    #expect(told.last?.arguments[1] == .string("busy"))
  }

  @Test func `a surface that asks in one packet is sent all that it wants`() {
    let asks = [
      [UInt8](address: "/subscribe", []), [UInt8](address: "/grid/layout", []),
      [UInt8](address: "/ping", []), [UInt8](address: "/presets", []),
      [UInt8](address: "/addresses", []),
    ]
    let told = desk.give([UInt8](bundle: asks, at: .immediately))
    #expect(!told.contains { $0.address == "/error" })
    #expect(told.last?.address == "/addresses/end")
  }

  @Test func `the grid's cells come once a packet, too`() {
    let told = desk.give(bundle(50, of: [UInt8](address: "/subscribe", [.string("/grid")])))
    #expect(told.count { $0.address == "/grid/cell" } == 42)
    #expect(told.count { $0.address == "/grid/layout" } == 1)
  }

  @Test func `a wrong type names a few of the arguments, however many there were`() {
    let many = [UInt8](address: "/live/gain", Array(repeating: .bool(true), count: 60_000))
    let told = desk.give(many)
    #expect(
      told == [
        Received(
          "/error",
          [
            .string("/live/gain"), .string("type"),
            .string(
              "/live/gain takes one number from -90 to 24 dB, or nothing to ask for its value; got "
                + "T T T T … (60000 in all)"),
          ])
      ])
    let few = desk.tell("/live/gain", .int32(1), .string("x"))
    #expect(
      few.first?.arguments[2]
        == .string(
          "/live/gain takes one number from -90 to 24 dB, or nothing to ask for its value; "
            + "got 1 \"x\""))
  }

  @Test func `a wrong type for all that a pattern matches is little`() {
    let before = desk.bytesSent
    desk.give([UInt8](address: "/*/*", Array(repeating: .bool(true), count: 60_000)))
    #expect(desk.bytesSent - before < 40_000)
  }

  @Test func `a long address is echoed in part`() {
    let before = desk.bytesSent
    desk.tell("/" + String(repeating: "x", count: 60_000))
    desk.tell("/*/" + String(repeating: "x", count: 60_000))
    #expect(desk.bytesSent - before < 1000)
  }
}
