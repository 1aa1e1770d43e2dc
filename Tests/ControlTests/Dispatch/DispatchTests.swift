import Control
import Engine
import OSC
import Posix
import TestSupport
import Testing

@Suite struct DispatchTests {
  private func code(_ received: [Received]) -> String? {
    guard let error = received.first, error.address == "/error", error.arguments.count == 3
    else { return nil }
    return error.arguments[1].text
  }

  @Test func `a query returns a value that was set before the audio thread has it`() {
    let desk = Desk()
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(0)])])
    #expect(desk.tell("/live/gain", .float(-6)).isEmpty)
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(-6)])])
    desk.pass()
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(-6)])])
  }

  @Test(arguments: [
    Argument.int32(-3), .int64(-3), .float(-3), .double(-3),
  ])
  func `numbers are accepted in every OSC type`(argument: Argument) {
    let desk = Desk()
    #expect(desk.tell("/live/gain", argument).isEmpty)
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(-3)])])
  }

  @Test func `true and false are 1 and 0`() {
    let desk = Desk()
    desk.tell("/mute", .bool(true))
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(1)])])
    desk.tell("/mute", .bool(false))
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(0)])])
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 24.1, -90.1, 1e300])
  func `a value out of range is refused with the range, and changes nothing`(value: Double) {
    let desk = Desk()
    for argument in [Argument.double(value), .float(Float(value))] {
      let answer = desk.tell("/live/gain", argument)
      #expect(code(answer) == "range")
      #expect(answer.first?.arguments[2].text?.contains("-90 to 24 dB") == true)
    }
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(0)])])
  }

  @Test(arguments: [
    ("/live/gain", [Argument.string("loud")], "type"),
    ("/live/gain", [.float(1), .float(2)], "type"),
    ("/live/gain", [.nil], "type"), ("/live/gain", [.blob([1])], "type"),
    ("/mute", [.float(0.5)], "range"), ("/mute", [.int32(2)], "range"),
    ("/live/route", [.string("sideways")], "range"), ("/live/route", [.float(1)], "type"),
    ("/nothing", [], "unknown"), ("/live", [], "unknown"), ("/nothing/*", [], "unknown"),
    ("/status", [.float(1)], "type"), ("/sync", [], "type"), ("/sync", [.float(.nan)], "range"),
    ("/ping", [.string("x")], "type"), ("/subscribe", [.string("/x"), .int32(70_000)], "range"),
    ("/subscribe", [.string("/nothing")], "unknown"), ("/quit", [.string("now")], "type"),
  ])
  func `invalid input receives one clear error`(
    address: String, arguments: [Argument], code: String
  ) {
    let desk = Desk()
    let answer = desk.give([UInt8](address: address, arguments))
    #expect(answer.count == 1)
    #expect(self.code(answer) == code)
    #expect(answer.first?.arguments[0].text == address)
    #expect(desk.node.counters.errors == 1)
  }

  @Test func `a long address is truncated in the error`() {
    let desk = Desk()
    let answer = desk.tell("/" + String(repeating: "x", count: 10_000))
    #expect(code(answer) == "unknown")
    #expect(answer[0].arguments.compactMap(\.text).joined().utf8.count < 400)
  }

  @Test func `a malformed packet is answered and counted`() {
    let desk = Desk()
    #expect(code(desk.give([1, 2, 3])) == "type")
    #expect(desk.node.counters.malformed == 1)
  }

  @Test func `replies of other nodes are not answered`() {
    let desk = Desk()
    for address in ["/error", "/pong", "/synced", "/reply", "/meter", "/addresses/end"] {
      #expect(desk.tell(address, .string("x")).isEmpty)
    }
  }

  @Test func `a pattern sets and queries all matching values`() {
    let desk = Desk()
    desk.tell("/{live,loop}/gain", .float(-9))
    #expect(
      desk.tell("/*/gain").map(\.address).sorted() == [
        "/grid/gain", "/harmony/gain", "/in/gain", "/live/gain", "/loop/gain", "/metronome/gain",
        "/music/gain", "/out/gain", "/speak/gain",
      ])
    #expect(desk.tell("/l*/gain").allSatisfy { $0.arguments == [.float(-9)] })
  }

  @Test func `a bundle takes effect on its frame as a whole`() {
    let desk = Desk()
    let clock = desk.host.engine.shared.clockReading
    let due = clock.microseconds + 1000 * clock.microsecondsPerFrame
    let time = TimeTag(unixMicroseconds: due - HostTime.steadyOfUnixEpoch)
    desk.give(
      [UInt8](
        bundle: [
          [UInt8](address: "/live/gain", [.float(-6)]), [UInt8](address: "/mute", [.int32(1)]),
        ], at: time))
    let output = desk.host.render(Tone.constant(0.5, frames: 4096), block: 64)
    // The last clock reading was for the previous buffer, 64 frames earlier.
    #expect(output.left.firstIndex { $0 != 0.5 } == 1000 - 64)
    #expect(output.live.firstIndex { $0 != 0.5 } == 1000 - 64)
  }

  @Test func `a time tag that is years off is refused`() {
    let desk = Desk()
    let gain = [UInt8](address: "/live/gain", [.float(-6)])
    let far = TimeTag(unixMicroseconds: HostTime.wall + 86_400e6 * 365)
    #expect(code(desk.give([UInt8](bundle: [gain], at: far))) == "range")
    #expect(desk.host.engine.shared.commands.underWay == 0)
  }

  @Test func `timed commands leave room for immediate ones`() {
    let desk = Desk()
    let gain = [UInt8](address: "/live/gain", [.float(-1)])
    let clock = desk.host.engine.shared.clockReading
    let soon = TimeTag(unixMicroseconds: clock.microseconds + 1e6 - HostTime.steadyOfUnixEpoch)
    let bundle = [UInt8](bundle: Array(repeating: gain, count: 3072), at: soon)
    // From two hosts, since one alone can't fill the schedule.
    for number in 0..<4 {
      let machine = Desk.client(9000, host: "10.0.0.\(1 + number % 2)")
      #expect(desk.give(bundle, as: machine).isEmpty)
    }
    #expect(code(desk.give([UInt8](bundle: [gain], at: soon))) == "busy")
    #expect(desk.give(gain).isEmpty)
    desk.pass(frames: 96_000)
    #expect(desk.give(bundle).isEmpty)
  }

  @Test func `scheduled commands run at their time, in order of arrival`() {
    let desk = Desk()
    let start = desk.host.engine.shared.clockReading.microseconds - HostTime.steadyOfUnixEpoch
    for (seconds, gain) in [(2.0, Float(-20)), (1.5, -15), (2.0, -21)] {
      let time = TimeTag(unixMicroseconds: start + seconds * 1e6)
      desk.give([UInt8](bundle: [[UInt8](address: "/live/gain", [.float(gain)])], at: time))
    }
    desk.pass(frames: 48_000)
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(0)])])
    desk.pass(frames: 36_000)
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(-15)])])
    desk.pass(frames: 36_000)
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(-21)])])
    #expect(desk.host.engine.shared.lateCount == 0)
  }

  @Test func `a pattern reaches values, but no commands`() {
    let desk = Desk()
    let answers = Set(desk.tell("/*").map(\.address))
    #expect(!desk.node.isQuitting)
    #expect(
      answers
        == [
          "/mute", "/status", "/clock", "/lock", "/preset", "/presets", "/location", "/instruments",
          "/scales", "/tuner", "/lowcut", "/channel", "/singing", "/harmonies", "/scene", "/scenes",
          "/part",
          "/setlist", "/setlists",
        ])
  }

  @Test func `a packet that exceeds the reply budget is answered in part`() {
    let desk = Desk()
    let question = [UInt8](address: "/*/*", [])
    let answers = desk.give(
      [UInt8](bundle: Array(repeating: question, count: 3000), at: .immediately))
    #expect(answers.count == 1100)
    #expect(code(Array(answers.suffix(1))) == "busy")
    #expect(desk.node.counters.refused == 1)
    desk.pass()
    #expect(desk.tell("/mute").count == 1)
  }

  @Test func `a timed value is reported when it takes effect, not before`() {
    let desk = Desk()
    let clock = desk.host.engine.shared.clockReading
    let time = TimeTag(
      unixMicroseconds: clock.microseconds + 1e6 - HostTime.steadyOfUnixEpoch)
    desk.give([UInt8](bundle: [[UInt8](address: "/live/gain", [.float(-6)])], at: time))
    desk.pass()
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(0)])])
    desk.pass(frames: 50_000)
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(-6)])])
  }

  @Test func `a bundle is refused as a whole when too many commands are pending`() {
    let desk = Desk()
    let gain = [UInt8](address: "/live/gain", [.float(-1)])
    let bundle = [UInt8](bundle: Array(repeating: gain, count: 1000), at: .immediately)
    // 16 bundles fill all but 384 of the 16,384 slots.
    for _ in 0..<16 { #expect(desk.give(bundle).isEmpty) }
    let answer = desk.give(
      [UInt8](
        bundle: Array(repeating: [UInt8](address: "/mute", [.int32(1)]), count: 1000),
        at: .immediately))
    #expect(code(answer) == "busy")
    #expect(desk.node.counters.refused == 1)
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(0)])])
    // 384 are still accepted.
    #expect(
      desk.give([UInt8](bundle: Array(repeating: gain, count: 384), at: .immediately)).isEmpty)
    _ = desk.host.render(Tone.constant(0, frames: 4096), block: 64)
    desk.pass()
    #expect(desk.give(bundle).isEmpty)
  }

  @Test func `a bundle with more commands than the queue holds is refused`() {
    let desk = Desk()
    let gain = [UInt8](address: "/live/gain", [.float(-1)])
    let answer = desk.give([UInt8](bundle: Array(repeating: gain, count: 4097), at: .immediately))
    #expect(code(answer) == "busy")
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(0)])])
  }

  @Test func `an invalid message in a bundle does not affect the others`() {
    let desk = Desk()
    let answer = desk.give(
      [UInt8](
        bundle: [
          [UInt8](address: "/live/gain", [.float(-6)]),
          [UInt8](address: "/live/gain", [.float(99)]),
          [UInt8](address: "/mute", [.int32(1)]),
        ], at: .immediately))
    #expect(code(answer) == "range")
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(-6)])])
    #expect(desk.tell("/mute") == [Received("/mute", [.int32(1)])])
  }

  @Test func `a button accepts no argument or a number, and ignores 0`() {
    for (arguments, quits) in [([Argument](), true), ([.float(1)], true), ([.float(0)], false)] {
      let desk = Desk()
      desk.give([UInt8](address: "/quit", arguments))
      #expect(desk.node.isQuitting == quits)
    }
  }

  @Test func `a button of the audio thread does the same, and its queue slot is freed`() {
    for (arguments, count) in [([Argument](), 1), ([.float(1)], 1), ([.float(0)], 0)] {
      let desk = Desk()
      #expect(desk.give([UInt8](address: "/chain/reset", arguments)).isEmpty)
      #expect(desk.host.engine.shared.commands.underWay == count)
      desk.pass()
      #expect(desk.host.engine.shared.commands.underWay == 0)
    }
    #expect(code(Desk().tell("/chain/reset", .float(.nan))) == "range")
    #expect(code(Desk().tell("/chain/reset", .string("x"))) == "type")
  }

  @Test(arguments: [("/echo/time", 0.001), ("/reverb/decay", 0.1), ("/echo/feedback", 1.1)])
  func `a bound is accepted in single and double precision`(address: String, bound: Double) {
    let desk = Desk()
    #expect(desk.tell(address, .double(bound)).isEmpty)
    #expect(desk.tell(address, .float(Float(bound))).isEmpty)
    #expect(desk.tell(address) == [Received(address, [.float(Float(bound))])])
  }

  @Test func `quit is refused to other machines`() {
    let desk = Desk()
    // An address reserved for documentation.
    let stranger = Desk.client(9000, host: "192.0.2.7")
    #expect(code(desk.tell("/quit", as: stranger)) == "denied")
    #expect(!desk.node.isQuitting)
  }

  @Test func `ping is answered with the token and an id that differs at each start`() {
    let (first, second) = (Desk(), Desk())
    let pong = first.tell("/ping", .int32(5))[0]
    #expect(pong.address == "/pong")
    #expect(pong.arguments[0] == .int32(5) && pong.arguments[1] == .string("desk"))
    let other = second.tell("/ping")[0]
    #expect(other.arguments[0] == .int32(0) && other.arguments[3] != pong.arguments[3])
  }

  @Test func `sync is answered when the audio thread has caught up, not before`() {
    let desk = Desk()
    desk.tell("/live/gain", .float(-6))
    #expect(desk.tell("/sync", .int32(77)).isEmpty)
    _ = desk.node.tick()
    #expect(desk.take().isEmpty)
    desk.pass()
    #expect(desk.take() == [Received("/synced", [.int32(77)])])
  }

  @Test func `addresses are listed, all or by pattern`() {
    let desk = Desk()
    let all = desk.tell("/addresses")
    #expect(all.count == AddressTable.node.addresses.count + 1)
    #expect(all.dropLast().allSatisfy { $0.address == "/address" })
    #expect(all.last == Received("/addresses/end", [.int32(Int32(all.count - 1))]))
    let some = desk.tell("/addresses", .string("/live"))
    #expect(
      some.dropLast().map { $0.arguments[0].text } == ["/live/gain", "/live/route", "/live/off"])
    #expect(
      some[0].arguments[1...4] == [.string("f"), .string("dB"), .float(-90), .float(24)])
  }

  @Test func `status has its values in order`() {
    let status = Desk().tell("/status")[0]
    #expect(status.arguments.count == 23)
    #expect(status.arguments[0] == .int32(48_000) && status.arguments[1] == .int32(64))
    #expect(status.arguments[6] == .string("running"))
    #expect(status.arguments[21] == .int32(0), "no losses")
  }
}
