import Control
import Engine
import Foundation
import OSC
import TestSupport
import Testing

/// User scales and tunings, and persistence of the grid.
@Suite struct ScaleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
  }

  private func code(_ received: [Received]) -> String? {
    received.last { $0.address == "/error" }?.arguments[1].text
  }

  @Test func `an unknown scale is refused with the closest name`() {
    let desk = Desk()
    for (name, hint) in [
      ("Dorain", "did you mean dorian?"), ("jump", "/scales lists all"),
    ] {
      let error = desk.tell("/grid/scale", .string(name)).last?.arguments
      #expect(error?.last == .string("unknown scale \(name); \(hint)"))
    }
  }

  private func word(_ desk: Desk, _ path: String) -> String? {
    desk.tell(path).first?.arguments.first?.text
  }

  private func notes(_ desk: Desk) -> [Int32] {
    desk.tell("/grid/layout").compactMap { message in
      if message.address == "/grid/cell", case .int32(let note) = message.arguments[3] {
        note
      } else {
        nil
      }
    }
  }

  /// Starts a node in the folder like the program, and waits for its settings.
  private func start() -> Desk {
    let desk = Desk(home: folder.url.path)
    desk.node[Takes.self].open { _ in }
    desk.awaitDisk()
    return desk
  }

  @Test func `a user scale can be played, replaced and deleted`() {
    let desk = Desk()
    #expect(desk.tell("/scale/user", .string("mine"), .int32(0), .int32(4), .int32(7)).isEmpty)
    #expect(desk.tell("/scales")[0].arguments.last == .string("mine"))
    #expect(desk.tell("/scale/user")[0].arguments == [.string("mine:0,4,7")])
    desk.tell("/grid/scale", .string("mine"))
    #expect(notes(desk).prefix(3) == [45, 49, 52])
    // The root is optional. The scale in use is laid out again.
    desk.tell("/scale/user", .string("mine"), .int32(3), .int32(7))
    #expect(notes(desk).prefix(3) == [45, 48, 52])
    desk.tell("/grid/touch", .int32(1), .int32(1))
    desk.pass()
    #expect(desk.tell("/scale/delete", .string("mine")).isEmpty)
    desk.pass()
    #expect(desk.host.engine.shared.notes.level(of: .cell(0)) == 0)
    #expect(word(desk, "/grid/scale") == "chromatic")
    #expect(code(desk.tell("/scale/delete", .string("mine"))) == "missing")
    #expect(code(desk.tell("/grid/scale", .string("mine"))) == "missing")
  }

  @Test func `built-in scales stay, and errors are reported`() {
    let desk = Desk()
    let many = desk.tell("/scales")[0].arguments
    #expect(code(desk.tell("/scale/user", .string("major"), .int32(1))) == "state")
    #expect(code(desk.tell("/scale/delete", .string("major"))) == "state")
    #expect(code(desk.tell("/scale/user", .string("mine"))) == "range")
    #expect(code(desk.tell("/scale/user", .string("mine"), .int32(7), .int32(3))) == "range")
    #expect(code(desk.tell("/scale/user", .string("mine"), .int32(12))) == "range")
    #expect(code(desk.tell("/scale/user", .string("my scale"), .int32(3))) == "range")
    #expect(code(desk.tell("/scale/user", .string("mine"), .string("x"))) == "type")
    #expect(desk.tell("/scales")[0].arguments == many)
  }

  @Test func `a tuning with other than twelve notes has scales of its own`() throws {
    let lines = ["19 notes", "19"] + (1...19).map { "\(Double($0) * 1200 / 19)" }
    try write(lines.joined(separator: "\n"), to: "19.scl")
    let desk = start()
    #expect(desk.tell("/grid/tuning", .string("19.scl")).isEmpty)
    #expect(word(desk, "/grid/scale") == "all")
    #expect(desk.tell("/grid/layout")[0].arguments == [.int32(4), .int32(19)])
    #expect(code(desk.tell("/grid/scale", .string("major"))) == "state")
    #expect(desk.tell("/scale/user", .string("third"), .int32(0), .int32(6), .int32(11)).isEmpty)
    #expect(desk.tell("/grid/scale", .string("third")).isEmpty)
    #expect(desk.tell("/scale/user")[0].arguments == [.string("third/19:0,6,11")])
    desk.awaitDisk()
    let again = start()
    #expect(word(again, "/grid/tuning") == "19.scl" && word(again, "/grid/scale") == "third")
    #expect(again.tell("/grid/tuning", .string("")).isEmpty)
    #expect(word(again, "/grid/scale") == "chromatic")
    #expect(notes(again).first == 45)
    again.awaitDisk()
  }

  @Test func `a tuning that can't be loaded changes nothing`() throws {
    try write("bad\n2\n100.0\nx\n", to: "bad.scl")
    let desk = start()
    #expect(code(desk.tell("/grid/tuning", .string("none.scl"))) == "missing")
    #expect(code(desk.tell("/grid/tuning", .string("../x.scl"))) == "denied")
    let told = desk.tell("/grid/tuning", .string("bad.scl"))
    #expect(code(told) == "type")
    #expect(told.last?.arguments[2].text?.hasPrefix("bad.scl: line 4: ") == true)
    #expect(word(desk, "/grid/tuning") == "")
    #expect(code(Desk().tell("/grid/tuning", .string("x.scl"))) == "state")
    for hertz: Float in [399, 481, .nan] {
      #expect(code(desk.tell("/grid/reference", .float(hertz))) == "range")
    }
    desk.awaitDisk()
  }

  @Test func `all settings of the grid are restored after a restart`() {
    let first = start()
    first.tell("/scale/user", .string("mine"), .int32(0), .int32(5))
    first.tell("/scale/user", .string("gone"), .int32(0), .int32(5))
    first.tell("/scale/delete", .string("gone"))
    first.tell("/grid/root", .int32(6))
    first.tell("/grid/scale", .string("mine"))
    first.tell("/grid/size", .string("small"))
    first.tell("/grid/octaves", .int32(2))
    first.tell("/grid/randomize", .int32(77))
    first.tell("/grid/names", .int32(0))
    first.tell("/grid/sustain", .int32(1))
    first.tell("/grid/reference", .float(432))
    first.tell("/piano/octave", .int32(2))
    first.pass()
    first.pass()
    first.awaitDisk()
    let second = start()
    second.pass()
    second.pass()
    for (path, value) in [
      ("/grid/root", Argument.string("F#")), ("/grid/scale", .string("mine")),
      ("/grid/size", .string("small")), ("/grid/octaves", .int32(2)),
      ("/grid/order", .string("random")), ("/grid/seed", .int32(77)), ("/grid/names", .int32(0)),
      ("/grid/sustain", .int32(1)), ("/grid/reference", .float(432)),
      ("/piano/octave", .int32(2)), ("/scale/user", .string("mine:0,5")),
    ] {
      #expect(second.tell(path) == [Received(path, [value])])
    }
    #expect(second.tell("/grid/layout") == first.tell("/grid/layout"))
    second.awaitDisk()
  }

  @Test func `each setting is sent to subscribers when it changes`() {
    let desk = Desk()
    let phone = Desk.client(9001)
    desk.tell("/subscribe", .string("/*/*"), as: phone)
    for path in ["/scales", "/scale", "/grid/*"] {
      desk.tell("/subscribe", .string(path), as: phone)
    }
    desk.pass()
    _ = desk.take(phone)
    for (path, value) in [
      ("/grid/root", Argument.string("E")), ("/grid/scale", .string("blues")),
      ("/grid/size", .string("large")), ("/grid/octaves", .int32(2)), ("/grid/seed", .int32(9)),
      ("/grid/order", .string("random")), ("/grid/names", .int32(0)), ("/grid/sustain", .int32(1)),
      ("/grid/reference", .float(432)), ("/piano/octave", .int32(2)),
    ] {
      desk.tell(path, value)
      for _ in 0..<3 { desk.pass() }
      #expect(desk.take(phone).contains(Received(path, [value])), "\(path)")
    }
    desk.tell("/grid/randomize", .int32(10))
    desk.tell("/scale/user", .string("mine"), .int32(0), .int32(5))
    for _ in 0..<3 { desk.pass() }
    let told = desk.take(phone)
    #expect(told.contains(Received("/grid/seed", [.int32(10)])))
    #expect(told.contains(Received("/scale/user", [.string("mine:0,5")])))
    #expect(told.contains { $0.address == "/scales" && $0.arguments.last == .string("mine") })
  }
}
