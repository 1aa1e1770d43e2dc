import Engine
import Foundation
import OSC
import TestSupport
import Testing

@testable import Control

/// MIDI controllers and their mappings.
@Suite struct MIDITests {
  private func turn(_ desk: Desk, _ controller: UInt8, _ value: UInt8) {
    desk.host.midi.append((desk.host.frame, [0xB0, controller, value]))
    for _ in 0..<3 { desk.pass() }
  }

  private func value(_ desk: Desk, _ path: String) -> Double? {
    desk.tell(path).first?.arguments.first?.number
  }

  private func row(_ path: String, _ controller: Int32, _ trigger: String) -> [Argument] {
    [
      .string(path), .int32(controller), .string("controller"), .string("turn"), .string(""),
      .string(trigger),
    ]
  }

  @Test func `the next controller that moves is mapped, and sets the value as it moves on`() {
    let desk = Desk()
    turn(desk, 20, 5)
    #expect(desk.tell("/midi/learn", .string("/echo/mix")).isEmpty)
    turn(desk, 21, 127)
    #expect(
      desk.take() == [Received("/midi/learnt", row("/echo/mix", 21, "controller:21@1"))])
    turn(desk, 21, 1)
    #expect(value(desk, "/echo/mix") == Double(Float(1 / 128.0)))
    turn(desk, 21, 0)
    #expect(value(desk, "/echo/mix") == 0)
    // The controller that moved before had no effect.
    turn(desk, 20, 64)
    #expect(value(desk, "/echo/mix") == 0)
  }

  @Test func `subscribers receive new mappings, and the values set by controllers`() {
    let desk = Desk()
    let other = Desk.client(9001)
    for pattern in ["/midi/learnt", "/live/gain"] {
      desk.tell("/subscribe", .string(pattern), as: other)
    }
    _ = desk.take(other)
    desk.tell("/midi/learn", .string("/live/gain"), .int32(7))
    #expect(
      desk.take(other) == [Received("/midi/learnt", row("/live/gain", 7, "controller:7"))])
    turn(desk, 7, 127)
    #expect(desk.take(other).last == Received("/live/gain", [.float(24)]))
  }

  @Test(arguments: [
    ("/live/gain", 127, 24.0), ("/live/gain", 0, -90), ("/metronome/on", 63, 0),
    ("/metronome/on", 64, 1), ("/metronome/beats", 127, 16), ("/metronome/beats", 0, 1),
    ("/player/direction", 0, -1), ("/player/direction", 63, -1), ("/player/direction", 127, 1),
    ("/echo/tone", 0, 200), ("/echo/tone", 127, 20_000), ("/settings/autoplay", 127, 1),
    ("/reverb/predelay", 127, 0.25), ("/midi/bend", 127, 24), ("/piano/octave", 127, 8),
    ("/grid/octaves", 127, 8),
  ])
  func `a controller covers the range of its address`(path: String, turned: Int, wanted: Double) {
    let desk = Desk()
    desk.tell("/midi/learn", .string(path), .int32(40))
    _ = desk.take()
    turn(desk, 40, UInt8(turned))
    #expect(value(desk, path) == wanted)
  }

  @Test func `a knob changes frequencies and times in equal ratios on both sides of its center`() {
    let desk = Desk()
    desk.tell("/midi/learn", .string("/echo/tone"), .int32(40))
    _ = desk.take()
    var last = 200.0
    for place in 1...127 {
      turn(desk, 40, UInt8(place))
      let now = value(desk, "/echo/tone") ?? 0
      // A factor of 10 in 64 steps up to the center, and in 63 steps above. Floats round to 1e-7.
      #expect(abs(now / last - pow(10, place <= 64 ? 1 / 64.0 : 1 / 63.0)) < 1e-6)
      last = now
    }
  }

  @Test func `a button is pressed once, as the controller reaches 64`() {
    let desk = Desk()
    desk.tell("/midi/learn", .string("/player/record"), .int32(64))
    _ = desk.take()
    turn(desk, 64, 127)
    #expect(desk.tell("/player/state").first?.arguments.first == .string("recording"))
    turn(desk, 64, 100)
    turn(desk, 64, 0)
    #expect(desk.tell("/player/state").first?.arguments.first == .string("recording"))
    // Longer than a contact bounces.
    desk.pass(frames: 1920)
    turn(desk, 64, 127)
    #expect(desk.tell("/player/state").first?.arguments.first == .string("start"))
  }

  @Test(arguments: [
    ("/live/route", "type"), ("/status", "type"), ("/location", "type"), ("/take/load", "type"),
    ("/nothing", "unknown"), ("/midi/learn", "type"),
  ])
  func `addresses that take no number are refused`(path: String, code: String) {
    let desk = Desk()
    #expect(desk.tell("/midi/learn", .string(path)).first?.arguments[1] == .string(code))
    #expect(desk.tell("/midi/learn", .string(path), .int32(3)).first?.arguments[1] == .string(code))
  }

  @Test func `mappings are listed, and removed`() {
    let desk = Desk()
    desk.tell("/midi/learn", .string("/live/gain"), .int32(7))
    desk.tell("/midi/learn", .string("/echo/mix"), .int32(7))
    desk.tell("/midi/learn", .string("/loop/gain"), .int32(3))
    _ = desk.take()
    #expect(
      desk.tell("/midi/bindings") == [
        Received("/midi/binding", row("/loop/gain", 3, "controller:3")),
        Received("/midi/binding", row("/echo/mix", 7, "controller:7")),
        Received("/midi/binding", row("/live/gain", 7, "controller:7")),
        Received("/midi/bindings/end", [.int32(3)]),
      ])
    #expect(desk.tell("/midi/forget", .string("/live/gain")).isEmpty)
    #expect(
      desk.tell("/midi/forget", .string("/live/gain")).first?.arguments[1] == .string("missing"))
    turn(desk, 7, 127)
    #expect(value(desk, "/live/gain") == 0)
    #expect(value(desk, "/echo/mix") == 1)
  }

  @Test func `learning can be canceled`() {
    let desk = Desk()
    desk.tell("/midi/learn", .string("/live/gain"))
    #expect(desk.tell("/midi/forget", .string("/live/gain")).isEmpty)
    turn(desk, 7, 127)
    #expect(desk.take().isEmpty)
    #expect(value(desk, "/live/gain") == 0)
  }

  @Test func `mappings survive a restart`() throws {
    let folder = try TemporaryFolder()
    do {
      let desk = Desk(home: folder.url.path)
      desk.tell("/midi/learn", .string("/live/gain"), .int32(7))
      desk.tell("/midi/learn", .string("/echo/mix"), .int32(8))
      desk.awaitDisk()
    }
    let desk = Desk(home: folder.url.path)
    desk.node[Takes.self].open { _ in }
    desk.awaitDisk()
    #expect(desk.tell("/midi/bindings").last == Received("/midi/bindings/end", [.int32(2)]))
    turn(desk, 7, 127)
    #expect(value(desk, "/live/gain") == 24)
  }

  @Test func `key maps released by the audio thread are freed`() throws {
    let desk = Desk()
    let midi = desk.node.features[MIDI.self]
    for step in 0..<20 {
      let pitches = (0..<128).map { Float($0 * 100 + step) }
      try midi.setKeyMap(KeyMap(snapped: pitches, own: pitches))
      if step == 0 { #expect(midi.keyMaps.count == 1) }
      if step % 3 == 0 { desk.pass() }
    }
    #expect(midi.keyMaps.count > 1)
    desk.pass()
    #expect(midi.keyMaps.count == 1)
  }

  @Test func `a queued command is reported with its remaining seconds`() {
    let desk = Desk()
    desk.tell("/metronome/countin", .int32(2))
    desk.tell("/player/record")
    desk.pass()
    let next = desk.tell("/player/next").first?.arguments
    #expect(next?.first == .string("record"))
    // Two bars of four beats at 120 bpm, minus the buffer that has passed.
    let wanted = 4 - 64 / 48_000.0
    let seconds = next?.last?.number ?? 0
    #expect(abs(seconds - wanted) < 1e-4)
    desk.tell("/loop/cancel")
    desk.pass()
    #expect(
      desk.tell("/player/next") == [Received("/player/next", [.string(""), .float(0)])])
  }
}
