import Control
import Engine
import OSC
import TestSupport
import Testing

@Suite struct FeedbackTests {
  private let phone = Desk.client(9000)
  private let tablet = Desk.client(9001)

  @Test func `a subscriber receives a snapshot immediately`() {
    let desk = Desk()
    desk.tell("/live/gain", .float(-7))
    desk.pass()
    let snapshot = desk.tell("/subscribe", .string("/live"))
    #expect(
      snapshot == [
        Received("/live/gain", [.float(-7)]), Received("/live/route", [.string("chain")]),
        Received("/live/off", [.int32(0)]),
      ])
    #expect(desk.tell("/subscribe").contains(Received("/mute", [.int32(0)])))
  }

  @Test func `changes go to all subscribers including the sender, as the value applied`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/live/gain"), as: phone)
    desk.tell("/subscribe", .string("/*/gain"), as: tablet)
    _ = (desk.take(phone), desk.take(tablet))
    desk.tell("/live/gain", .int32(-6), as: phone)
    desk.pass()
    #expect(desk.take(phone) == [Received("/live/gain", [.float(-6)])])
    #expect(desk.take(tablet) == [Received("/live/gain", [.float(-6)])])
    desk.tell("/loop/gain", .int32(-6), as: phone)
    desk.pass()
    #expect(desk.take(phone).isEmpty)
    #expect(desk.take(tablet).count == 1)
  }

  @Test func `rapid changes are coalesced, and the last one is sent`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/live/gain"))
    desk.pass()
    for step in 1...50 { desk.tell("/live/gain", .int32(Int32(-step))) }
    desk.pass(seconds: 0.02)
    #expect(desk.take() == [Received("/live/gain", [.float(-50)])])
    // At most 100 per second.
    var count = 0
    for step in 1...100 {
      desk.tell("/live/gain", .float(Float(-step) / 10))
      desk.pass(seconds: 0.001)
      count += desk.take().count
    }
    #expect(count <= 11)
  }

  @Test func `a snapshot for one subscriber loses no change for another`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/loop/gain"), as: phone)
    desk.pass()
    _ = desk.take(phone)
    desk.tell("/loop/gain", .float(-1), as: tablet)
    desk.tell("/subscribe", .string("/loop/gain"), as: tablet)
    desk.pass()
    #expect(desk.take(phone) == [Received("/loop/gain", [.float(-1)])])
  }

  @Test func `the sender of a value receives the result, even if it is the previous value`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/grid/gain"), as: phone)
    desk.pass()
    _ = desk.take(phone)
    desk.tell("/grid/gain", .float(-6), as: phone)
    desk.tell("/grid/gain", .float(0), as: tablet)
    desk.pass()
    #expect(desk.take(phone) == [Received("/grid/gain", [.float(0)])])
  }

  @Test func `two nodes subscribed to each other do not echo endlessly`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/grid/gain"), as: phone)
    desk.tell("/grid/gain", .float(-6), as: tablet)
    var count = 0
    for _ in 0..<50 {
      desk.pass()
      for message in desk.take(phone) {
        count += 1
        desk.give([UInt8](address: message.address, message.arguments), as: phone)
      }
    }
    #expect(count <= 2)
  }

  @Test func `a program that reconnects from another port receives everything once`() {
    let desk = Desk()
    let ear = Desk.client(7777)
    for port in 1...3 {
      desk.tell("/subscribe", .string("/mute"), .int32(7777), as: Desk.client(UInt16(port)))
    }
    desk.tell("/subscribe", .string("/live/gain"), .int32(7777), as: Desk.client(4))
    _ = desk.take(ear)
    desk.tell("/mute", .int32(1), as: tablet)
    desk.tell("/live/gain", .float(-3), as: tablet)
    desk.pass()
    #expect(desk.take(ear).map(\.address).sorted() == ["/live/gain", "/mute"])
    #expect(desk.node.clientCount == 1)
  }

  @Test func `unchanged values are not sent`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/live/gain"))
    desk.tell("/live/gain", .float(0))
    desk.pass()
    #expect(desk.take().isEmpty)
  }

  @Test func `a lease expires, and any message renews it`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/mute"), as: phone)
    desk.tell("/subscribe", .string("/mute"), as: tablet)
    for _ in 0..<5 {
      desk.seconds += 14
      desk.tell("/ping", as: tablet)
      desk.pass()
    }
    #expect(desk.node.clientCount == 1)
    _ = (desk.take(phone), desk.take(tablet))
    desk.tell("/mute", .int32(1), as: tablet)
    desk.pass()
    #expect(desk.take(phone).isEmpty)
    #expect(desk.take(tablet) == [Received("/mute", [.int32(1)])])
    desk.seconds += 61
    desk.pass()
    desk.pass()
    #expect(desk.node.clientCount == 0)
  }

  @Test func `updates and replies go to the requested port`() {
    let desk = Desk()
    let ear = Desk.client(7777)
    #expect(desk.tell("/subscribe", .string("/mute"), .int32(7777), as: phone).isEmpty)
    #expect(desk.take(ear) == [Received("/mute", [.int32(0)])])
    desk.tell("/live/gain", as: phone)
    #expect(desk.take(ear) == [Received("/live/gain", [.float(0)])])
    desk.tell("/nothing", as: phone)
    #expect(desk.take(ear).first?.address == "/error")
    // For surfaces that can send only a number.
    #expect(desk.tell("/subscribe", .float(7778), as: tablet).isEmpty)
    #expect(!desk.take(Desk.client(7778)).isEmpty)
  }

  @Test func `unsubscribing ends the updates`() {
    let desk = Desk()
    desk.tell("/subscribe")
    desk.tell("/unsubscribe")
    _ = desk.take()
    desk.tell("/mute", .int32(1))
    desk.pass()
    #expect(desk.take().isEmpty)
    #expect(desk.node.clientCount == 0)
  }

  @Test func `hosts with the same port are different clients`() {
    let desk = Desk()
    let other = Desk.client(9000, host: "192.0.2.7")
    desk.tell("/subscribe", .string("/mute"), as: phone)
    desk.tell("/subscribe", .string("/mute"), as: other)
    #expect(desk.node.clientCount == 2)
    _ = (desk.take(phone), desk.take(other))
    desk.tell("/mute", .int32(1), as: phone)
    desk.pass()
    #expect(desk.take(phone).count == 1 && desk.take(other).count == 1)
  }

  @Test func `meters are sent thirty times per second to subscribers`() {
    let desk = Desk()
    desk.tell("/subscribe", .string("/meter"), as: phone)
    desk.tell("/subscribe", .string("/mute"), as: tablet)
    _ = desk.take(tablet)
    var count = 0
    for _ in 0..<200 {
      desk.pass(seconds: 0.005)
      let messages = desk.take(phone)
      count += messages.count
      #expect(messages.allSatisfy { $0.address == "/meter" && $0.arguments.count == 11 })
    }
    #expect((29...31).contains(count))
    #expect(desk.take(tablet).isEmpty)
  }

  @Test func `meters are in decibels`() throws {
    let desk = Desk()
    desk.tell("/subscribe", .string("/meter"))
    desk.pass()
    _ = desk.take()
    _ = desk.host.render(Tone.constant(0.5, frames: 64), block: 64)
    desk.pass(seconds: 0.05)
    desk.pass(seconds: 0.05)
    let meter = try #require(desk.take().first)
    let input = try #require(meter.arguments[0].number)
    #expect(abs(input + 6.02) < 0.01)
    #expect(meter.arguments[10] == .float(0))
  }

  @Test func `the number of subscribers is limited`() {
    let desk = Desk()
    for port in 1...64 { desk.tell("/subscribe", as: Desk.client(UInt16(port))) }
    let answer = desk.tell("/subscribe", as: Desk.client(65))
    #expect(answer.first?.arguments[1] == .string("busy"))
  }
}
