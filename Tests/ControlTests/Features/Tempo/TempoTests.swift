import Control
import Engine
import OSC
import Posix
import TestSupport
import Testing

/// The tempo: taps, beats and transport.
@Suite struct TempoTests {
  @Test func `taps set the tempo, and subscribers receive it`() {
    let desk = Desk()
    let other = Desk.client(9001)
    desk.tell("/subscribe", .string("/metronome/bpm"), as: other)
    _ = desk.take(other)
    for _ in 0..<4 {
      desk.tell("/metronome/tap")
      // 100 beats per minute.
      desk.pass(seconds: 0.6)
    }
    desk.pass()
    guard case .float(let tempo)? = desk.tell("/metronome/bpm").first?.arguments.first else {
      Issue.record("no tempo")
      return
    }
    #expect(abs(tempo - 100) < 0.01)
    #expect(desk.take(other).last == Received("/metronome/bpm", [.float(tempo)]))
  }

  @Test func `the source and the range have values from the start, and take others`() {
    let desk = Desk()
    #expect(desk.tell("/tempo/range") == [Received("/tempo/range", [.float(20), .float(300)])])
    desk.tell("/tempo/range", .float(90), .float(140))
    #expect(desk.tell("/tempo/range") == [Received("/tempo/range", [.float(90), .float(140)])])
    let refused = desk.tell("/tempo/range", .float(140), .float(90))
    #expect(refused.first?.arguments[1] == .string("range"))
    desk.tell("/transport/follow", .int32(1))
    #expect(desk.tell("/tempo/source") == [Received("/tempo/source", [.string("jack")])])
    desk.tell("/transport/follow", .int32(0))
    #expect(desk.tell("/tempo/source") == [Received("/tempo/source", [.string("own")])])
    desk.tell("/tempo/source", .string("midi"))
    desk.pass()
    #expect(desk.tell("/tempo/locked") == [Received("/tempo/locked", [.int32(0)])])
    // Not a request to stop following MIDI clock.
    desk.tell("/transport/follow", .int32(0))
    #expect(desk.tell("/tempo/source") == [Received("/tempo/source", [.string("midi")])])
    #expect(desk.tell("/tempo/playing", .int32(1)).first?.arguments[1] == .string("state"))
  }

  @Test func `a session that the node doesn't take part in is an error when it becomes the source`()
  {
    let desk = Desk()
    let other = Desk.client(9001)
    desk.tell("/subscribe", .string("/tempo/source"), as: other)
    _ = desk.take(other)
    desk.tell("/tempo/source", .string("link"))
    desk.pass()
    let errors = desk.take(other).filter { $0.address == "/error" }
    #expect(errors.count == 1 && errors.first?.arguments.last?.text?.contains("--link") == true)
    #expect(desk.tell("/tempo/locked") == [Received("/tempo/locked", [.int32(0)])])
  }

  @Test func `taps count by their time tags, not by their arrival`() {
    let desk = Desk()
    let clock = desk.host.engine.shared.clockReading
    for tap in 0..<3 {
      let due = clock.microseconds + Double(tap) * 500_000
      desk.give(
        [UInt8](
          bundle: [[UInt8](address: "/metronome/tap", [.int32(1)])],
          at: TimeTag(unixMicroseconds: due - HostTime.steadyOfUnixEpoch)))
    }
    // The tempo is set at the time of the tap that determines it.
    for _ in 0..<12 { desk.pass(frames: 9600) }
    guard case .float(let tempo)? = desk.tell("/metronome/bpm").first?.arguments.first else {
      Issue.record("no tempo")
      return
    }
    #expect(abs(tempo - 120) < 0.01)
  }

  @Test func `a released button is not a tap`() {
    let desk = Desk()
    for value: Float in [1, 0, 1, 0] {
      desk.tell("/metronome/tap", .float(value))
      desk.pass(seconds: 0.25)
    }
    desk.pass()
    // Half a second between the two presses.
    #expect(desk.tell("/metronome/bpm") == [Received("/metronome/bpm", [.float(120)])])
  }

  @Test func `each beat is sent with its number in the bar, but none before the subscription`() {
    let desk = Desk()
    desk.tell("/metronome/bpm", .float(150))
    desk.tell("/metronome/beats", .int32(3))
    desk.pass(frames: 48_000)
    #expect(desk.tell("/subscribe", .string("/metronome/beat")).isEmpty)
    // Two and a half seconds per beat.
    desk.pass(frames: 96_000)
    let told = desk.take()
    #expect(told.count == 5)
    #expect(told.allSatisfy { $0.address == "/metronome/beat" && $0.arguments[1] == .int32(3) })
    let numbers = told.compactMap { $0.arguments[0].number.map(Int.init) }
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 % 3 + 1 })
    desk.tell("/unsubscribe")
    desk.pass(frames: 96_000)
    #expect(desk.take().isEmpty)
    // A query returns the present one: five beats later, in bars of three.
    let present = (numbers.last ?? 0) + 4
    #expect(
      desk.tell("/metronome/beat")
        == [Received("/metronome/beat", [.int32(Int32(present % 3 + 1)), .int32(3)])])
  }

  // MARK: - The transport

  private func settle(_ desk: Desk) { for _ in 0..<3 { desk.pass() } }

  @Test func `the node is timebase master when the server grants it`() {
    let desk = Desk()
    #expect(desk.tell("/transport/lead") == [Received("/transport/lead", [.int32(0)])])
    #expect(desk.tell("/transport/lead", .int32(1)).isEmpty)
    settle(desk)
    #expect(desk.lead == .asked)
    desk.lead = .yes
    settle(desk)
    #expect(desk.tell("/transport/lead") == [Received("/transport/lead", [.int32(1)])])
    desk.tell("/transport/lead", .int32(0))
    settle(desk)
    #expect(desk.lead == .no)
    #expect(desk.take().isEmpty)
  }

  @Test(arguments: [TransportLead.denied, .no])
  func `a denied timebase master receives the reason`(answer: TransportLead) {
    let desk = Desk()
    desk.tell("/transport/lead", .int32(1))
    settle(desk)
    desk.lead = answer
    settle(desk)
    let error = desk.take().first
    #expect(error?.address == "/error")
    #expect(error?.arguments[1] == .string("state"))
    #expect(desk.tell("/transport/lead") == [Received("/transport/lead", [.int32(0)])])
  }

  @Test func `subscribers are notified when another timebase master takes over`() {
    let desk = Desk()
    desk.tell("/transport/lead", .int32(1))
    settle(desk)
    desk.lead = .yes
    settle(desk)
    let other = Desk.client(9001)
    desk.tell("/subscribe", .string("/transport/lead"), as: other)
    #expect(desk.take(other).isEmpty)
    desk.lead = .no
    for _ in 0..<10 { desk.pass() }
    #expect(desk.take(other) == [Received("/transport/lead", [.int32(0)])])
    #expect(desk.take().isEmpty)
  }
}
