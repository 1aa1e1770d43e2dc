import Control
import Engine
import Foundation
import OSC
import TestSupport
import Testing

/// MIDI learn from the movement of a controller, which itself must have no effect.
@Suite struct LearningTests {
  private let desk = Desk()

  private func turn(_ controller: UInt8, _ values: UInt8..., on desk: Desk? = nil) {
    let desk = desk ?? self.desk
    for value in values {
      desk.host.midi.append((desk.host.frame, [0xB0, controller, value]))
      // Longer than a contact bounces.
      desk.pass(frames: 1440)
    }
  }

  private func value(_ path: String, on desk: Desk? = nil) -> Double? {
    (desk ?? self.desk).tell(path).last { $0.address == path }?.arguments.first?.number
  }

  private func learn(_ path: String) {
    #expect(desk.tell("/midi/learn", .string(path)).isEmpty)
  }

  /// The row of a controller that was mapped on the first channel, or by number.
  private func learnt(
    _ path: String, _ controller: Int32, _ press: String = "turn", isNamed: Bool = false
  ) -> [Received] {
    [
      Received(
        "/midi/learnt",
        [
          .string(path), .int32(controller), .string("controller"), .string(press), .string(""),
          .string("controller:\(controller)\(isNamed ? "" : "@1")"),
        ])
    ]
  }

  private var player: Argument? {
    desk.tell("/player/state").last { $0.address == "/player/state" }?.arguments.first
  }

  @Test func `the press that maps a button has no effect, nor has its release`() {
    learn("/player/record")
    turn(21, 127)
    #expect(desk.take() == learnt("/player/record", 21, "short"))
    #expect(player == .string("start"))
    turn(21, 0)
    #expect(player == .string("start"))
    turn(21, 127)
    #expect(player == .string("recording"))
  }

  @Test(arguments: [[], ["/loop/*"], ["/midi/learnt"], ["/loop/*", "/midi/*"]])
  func `who asked learns of the mapping once, with any subscriptions`(patterns: [String]) {
    for pattern in patterns { desk.tell("/subscribe", .string(pattern)) }
    desk.tell("/midi/learn", .string("/player/record"))
    turn(21, 127)
    desk.pass(frames: 4800)
    #expect(
      desk.take().filter { $0.address == "/midi/learnt" } == learnt("/player/record", 21, "short"))
  }

  @Test func `a pedal that maps a button has no effect until it has returned`() {
    learn("/player/record")
    turn(64, 12, 50, 90, 127, 80, 20, 0)
    #expect(player == .string("start"))
    turn(64, 30, 100)
    #expect(player == .string("recording"))
  }

  @Test func `a press that ended before it was seen is mapped, and the next one acts`() {
    learn("/player/record")
    turn(21, 0)
    #expect(player == .string("start"))
    turn(21, 127)
    #expect(player == .string("recording"))
  }

  @Test(arguments: [0, 1])
  func `mapping a switch does not change it`(before: Int32) {
    desk.tell("/mute", .int32(before))
    desk.pass()
    learn("/mute")
    turn(21, 127, 0)
    #expect(value("/mute") == Double(before))
    turn(21, 127)
    #expect(value("/mute") == 1)
    turn(21, 0)
    #expect(value("/mute") == 0)
  }

  @Test func `a mapped fader picks up the value as it passes it`() {
    desk.tell("/echo/mix", .float(0.5))
    learn("/echo/mix")
    turn(7, 20)
    #expect(desk.take() == learnt("/echo/mix", 7))
    turn(7, 30, 45, 60)
    #expect(value("/echo/mix") == 0.5)
    // The center is at 64.
    turn(7, 70)
    #expect(abs((value("/echo/mix") ?? 0) - (0.5 + 6.0 / 126)) < 1e-6)
    turn(7, 0)
    #expect(value("/echo/mix") == 0)
  }

  @Test func `a fader pulled down while it is mapped picks up the value on its way back`() {
    desk.tell("/echo/mix", .float(0.5))
    learn("/echo/mix")
    turn(7, 40, 20, 0)
    #expect(value("/echo/mix") == 0.5)
    turn(7, 20, 50)
    #expect(value("/echo/mix") == 0.5)
    turn(7, 66)
    #expect(abs((value("/echo/mix") ?? 0) - (0.5 + 2.0 / 126)) < 1e-6)
  }

  @Test func `a pad mapped to a value sets it from its next press on`() {
    desk.tell("/echo/mix", .float(0.5))
    learn("/echo/mix")
    turn(21, 127, 0)
    #expect(value("/echo/mix") == 0.5)
    turn(21, 100)
    #expect(abs((value("/echo/mix") ?? 0) - (0.5 + 36.0 / 126)) < 1e-6)
  }

  @Test func `the press that maps a controller does not affect its other mappings`() {
    desk.tell("/midi/learn", .string("/player/record"), .int32(21))
    _ = desk.take()
    learn("/mute")
    turn(21, 127, 0)
    #expect(player == .string("start"))
    #expect(value("/mute") == 0)
    turn(21, 127)
    #expect(player == .string("recording"))
    #expect(value("/mute") == 1)
  }

  @Test func `a controller mapped by number is active at once`() {
    #expect(
      desk.tell("/midi/learn", .string("/echo/mix"), .int32(7))
        == learnt("/echo/mix", 7, isNamed: true))
    turn(7, 127)
    #expect(value("/echo/mix") == 1)
  }

  // MARK: - Quit

  @Test func `quit can't be mapped, and the error has the reason`() throws {
    for told in [
      desk.tell("/midi/learn", .string("/quit")),
      desk.tell("/midi/learn", .string("/quit"), .int32(21)),
    ] {
      #expect(
        told == [
          Received(
            "/error",
            [
              .string("/midi/learn"), .string("denied"),
              .string("/quit: can't be mapped, since an accidental press would end the node"),
            ])
        ])
    }
    turn(21, 127)
    #expect(!desk.node.isQuitting)
  }

  // MARK: - Address templates

  @Test func `a grid cell is mapped, listed, played and unmapped`() {
    let told = learnt("/grid/1/2", 26, isNamed: true)
    #expect(desk.tell("/midi/learn", .string("/grid/1/2"), .int32(26)) == told)
    #expect(
      desk.tell("/midi/bindings") == [
        Received("/midi/binding", told[0].arguments),
        Received("/midi/bindings/end", [.int32(1)]),
      ])
    turn(26, 127)
    #expect(desk.host.engine.shared.notes.level(of: .cell(1)) == 1)
    turn(26, 0)
    #expect(desk.host.engine.shared.notes.level(of: .cell(1)) == 0)
    #expect(desk.tell("/midi/forget", .string("/grid/1/2")).isEmpty)
    turn(26, 127)
    #expect(desk.host.engine.shared.notes.level(of: .cell(1)) == 0)
  }

  @Test func `a cell is mapped to a pad, and the press that maps it is silent`() {
    learn("/grid/1/2")
    turn(26, 90)
    #expect(desk.take() == learnt("/grid/1/2", 26))
    turn(26, 0)
    desk.pass()
    #expect(desk.host.engine.shared.notes.level(of: .cell(1)) == 0)
    turn(26, 127)
    #expect(desk.host.engine.shared.notes.level(of: .cell(1)) == 1)
  }

  @Test func `the mapping of a cell survives a restart`() throws {
    let folder = try TemporaryFolder()
    do {
      let desk = Desk(home: folder.url.path)
      desk.tell("/midi/learn", .string("/grid/1/2"), .int32(26))
      desk.awaitDisk()
    }
    let desk = Desk(home: folder.url.path)
    desk.node[Takes.self].open { _ in }
    desk.awaitDisk()
    turn(26, 127, on: desk)
    #expect(desk.host.engine.shared.notes.level(of: .cell(1)) == 1)
  }

  @Test func `address templates can't be mapped, and the number of mappings is limited`() {
    let whole = desk.tell("/midi/learn", .string("/grid/{row}/{column}"), .int32(3))
    #expect(whole.first?.arguments[1] == .string("type"))
    #expect(
      desk.tell("/midi/learn", .string("/grid/1/x")).first?.arguments[1] == .string("unknown"))
    // Each packet sends all mappings to the audio thread.
    for start in stride(from: 0, to: 512, by: 64) {
      let learn = (start..<start + 64).map {
        [UInt8](address: "/midi/learn", [.string("/grid/9/\($0)"), .int32(3)])
      }
      #expect(
        !desk.give([UInt8](bundle: learn, at: .immediately)).contains { $0.address == "/error" })
    }
    let refused = desk.tell("/midi/learn", .string("/grid/9/512"), .int32(3))
    #expect(refused.first?.arguments[1] == .string("busy"))
    #expect(
      desk.tell("/midi/learn", .string("/grid/9/7"), .int32(4))
        == learnt("/grid/9/7", 4, isNamed: true))
  }
}
