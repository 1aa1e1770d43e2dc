import Control
import OSC
import TestSupport
import Testing

/// The output of the node for one packet, whose sender address may be forged.
@Suite struct AmplificationTests {
  private let desk = Desk()

  private func bundle(_ count: Int, of message: [UInt8]) -> [UInt8] {
    [UInt8](bundle: Array(repeating: message, count: count), at: .immediately)
  }

  @Test func `a packet with many subscriptions receives one snapshot`() {
    let once = desk.tell("/subscribe", as: Desk.client(9001))
    #expect(once.count > 100)
    let told = desk.give(bundle(3250, of: [UInt8](address: "/subscribe", [])))
    #expect(told.count == once.count)
    #expect(Set(told.map(\.address)) == Set(once.map(\.address)))
    // Another packet receives another snapshot.
    #expect(desk.tell("/subscribe").count == once.count)
  }

  @Test func `subscriptions in one packet send each value once, whatever pattern covers it`() {
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

  @Test func `a snapshot counts toward the reply budget of its packet`() {
    let pings = Array(repeating: [UInt8](address: "/ping", []), count: 1000)
    let told = desk.give(
      [UInt8](bundle: pings + [[UInt8](address: "/subscribe", [])], at: .immediately))
    #expect(told.count == 1100)
    #expect(told.last?.arguments[1] == .string("busy"))
  }

  @Test func `a surface that queries in one packet receives all its values`() {
    let asks = [
      [UInt8](address: "/subscribe", []), [UInt8](address: "/grid/layout", []),
      [UInt8](address: "/ping", []), [UInt8](address: "/presets", []),
      [UInt8](address: "/addresses", []),
    ]
    let told = desk.give([UInt8](bundle: asks, at: .immediately))
    #expect(!told.contains { $0.address == "/error" })
    #expect(told.last?.address == "/addresses/end")
  }

  @Test func `the cells of the grid are sent once per packet, too`() {
    let told = desk.give(bundle(50, of: [UInt8](address: "/subscribe", [.string("/grid")])))
    #expect(told.count { $0.address == "/grid/cell" } == 42)
    #expect(told.count { $0.address == "/grid/layout" } == 1)
  }

  @Test func `empty replies, which are queries themselves, are limited, and errors have no reply`()
  {
    let replies = (1...1000).flatMap { _ in desk.tell("/presets/own") }
    #expect(replies.count == 500)
    #expect(replies.allSatisfy { $0.address == "/presets/own" && $0.arguments.isEmpty })
    #expect(desk.tell("/error", .string("/a"), .string("type"), .string("b")).isEmpty)
  }

  @Test func `a type error quotes only a few of many arguments`() {
    let many = [UInt8](address: "/live/gain", Array(repeating: .bool(true), count: 60_000))
    let told = desk.give(many)
    #expect(
      told == [
        Received(
          "/error",
          [
            .string("/live/gain"), .string("type"),
            .string(
              "/live/gain: got T T T T … (60000 arguments); expected one number (-90 to 24 dB), or "
                + "none to query"),
          ])
      ])
    let few = desk.tell("/live/gain", .int32(1), .string("x"))
    #expect(
      few.first?.arguments[2]
        == .string(
          "/live/gain: got 1 \"x\"; expected one number (-90 to 24 dB), or none to query"))
  }

  @Test func `a type error for every address that a pattern matches stays small`() {
    let before = desk.bytesSent
    desk.give([UInt8](address: "/*/*", Array(repeating: .bool(true), count: 60_000)))
    #expect(desk.bytesSent - before < 40_000)
  }

  @Test func `a long address is truncated in replies`() {
    let before = desk.bytesSent
    desk.tell("/" + String(repeating: "x", count: 60_000))
    desk.tell("/*/" + String(repeating: "x", count: 60_000))
    #expect(desk.bytesSent - before < 1000)
  }
}
