import Control
import Engine
import Music
import OSC
import Posix
import TestSupport
import Testing

/// The grid as played from a surface, on an offline engine.
@Suite struct GridTests {
  private let desk = Desk()
  private let one = Desk.client(9001)
  private let two = Desk.client(9002)

  private func level(_ finger: Finger) -> Float {
    desk.host.engine.shared.notes.level(of: finger)
  }

  /// The numbers of the sounding cells, in the twelve columns of the default layout.
  private var sounding: [Int] { (0..<Finger.mostCells).filter { level(.cell($0)) > 0 } }

  private func code(_ received: [Received]) -> String? {
    received.last { $0.address == "/error" }?.arguments[1].text
  }

  private func message(_ address: String, _ arguments: Argument...) -> [UInt8] {
    [UInt8](address: address, arguments)
  }

  /// A time tag a number of frames after the rendered audio.
  private func time(frames: Int) -> TimeTag {
    let due = Double(Int(desk.host.frame) + frames) / 48_000 * 1e6
    return TimeTag(unixMicroseconds: due - HostTime.steadyOfUnixEpoch)
  }

  private func render(_ frames: Int) {
    _ = desk.host.render(Tone.constant(0, frames: frames), block: 64)
  }

  private func cells(_ received: [Received]) -> [Received] {
    received.filter { $0.address == "/grid/cell" }
  }

  @Test func `the layout is sent with its cells, initially A chromatic`() {
    let told = desk.tell("/grid/layout")
    #expect(told.first == Received("/grid/layout", [.int32(4), .int32(12)]))
    // Three and a half octaves.
    #expect(told.count == 1 + 42)
    #expect(told[1] == Received("/grid/cell", [.int32(1), .int32(1), .string("A"), .int32(45)]))
    #expect(desk.tell("/grid/root") == [Received("/grid/root", [.string("A")])])
    #expect(desk.tell("/grid/scale") == [Received("/grid/scale", [.string("chromatic")])])
  }

  @Test func `a touched cell sounds with its velocity, and ends when released`() {
    #expect(desk.tell("/grid/touch", .int32(2), .int32(3), .float(0.5)).isEmpty)
    #expect(desk.tell("/grid/touch", .int32(1), .int32(1)).isEmpty)
    desk.pass()
    #expect(level(.cell(14)) == 0.5 && level(.cell(0)) == 0.8)
    #expect(desk.tell("/grid/release", .int32(2), .int32(3)).isEmpty)
    desk.tell("/grid/touch", .int32(1), .int32(1), .float(0))
    desk.pass()
    #expect(sounding.isEmpty)
    // Cells that are not touched or don't exist: no error.
    #expect(desk.tell("/grid/release", .int32(2), .int32(3)).isEmpty)
    #expect(desk.tell("/grid/release", .int32(99), .int32(0)).isEmpty)
  }

  @Test func `an address per button does the same`() {
    #expect(desk.tell("/grid/2/3", .float(0.25)).isEmpty)
    desk.pass()
    #expect(level(.cell(14)) == 0.25)
    #expect(desk.tell("/grid/2/3", .float(0)).isEmpty)
    desk.pass()
    #expect(sounding.isEmpty)
    for path in ["/grid/5/1", "/grid/0/1", "/grid/1/13", "/grid/999999999/1"] {
      #expect(code(desk.tell(path, .float(1))) == "range", "\(path)")
    }
    for path in ["/grid/1/2/3", "/grid/1/", "/grid/1/x", "/grid/{row}/{column}", "/grid/-1/2"] {
      #expect(code(desk.tell(path, .float(1))) == "unknown", "\(path)")
    }
    #expect(code(desk.tell("/grid/1/1", .float(1.5))) == "range")
  }

  @Test func `an unknown cell is out of range, and the error has the range`() {
    let told = desk.tell("/grid/touch", .int32(5), .int32(1))
    #expect(code(told) == "range")
    #expect(
      told.last?.arguments[2]
        == .string("row 5, column 1 is outside the grid (rows 1 to 4, columns 1 to 12)"))
    // The last row runs backward and ends halfway.
    #expect(code(desk.tell("/grid/touch", .int32(4), .int32(1))) == "range")
    #expect(code(desk.tell("/grid/touch", .int32(4), .int32(12))) == nil)
    #expect(code(desk.tell("/grid/slide", .int32(0), .int32(1))) == "range")
  }

  @Test func `a timed touch is on its frame, and a slide ends and starts on one frame`() {
    desk.give(
      [UInt8](bundle: [message("/grid/touch", .int32(1), .int32(1))], at: time(frames: 1000)))
    render(1000)
    #expect(sounding.isEmpty)
    render(1)
    #expect(sounding == [0])
    render(63)
    desk.give(
      [UInt8](bundle: [message("/grid/slide", .int32(1), .int32(2))], at: time(frames: 500)))
    render(500)
    #expect(sounding == [0])
    render(1)
    #expect(sounding == [1])
    #expect(desk.host.engine.shared.lateCount == 0)
  }

  @Test func `a slide takes the nearest finger, or the one touched last, and its velocity`() {
    desk.tell("/grid/touch", .int32(1), .int32(1), .float(0.3))
    desk.tell("/grid/touch", .int32(1), .int32(5), .float(0.4))
    desk.tell("/grid/slide", .int32(1), .int32(3))
    desk.pass()
    #expect(sounding == [0, 2] && level(.cell(2)) == 0.4)
    desk.tell("/grid/slide", .int32(2), .int32(1))
    desk.pass()
    #expect(sounding == [2, 12] && level(.cell(12)) == 0.3)
    // It is already there.
    desk.tell("/grid/slide", .int32(2), .int32(1))
    desk.pass()
    #expect(sounding == [2, 12])
    desk.tell("/grid/slide", .int32(4), .int32(12))
    desk.pass()
    #expect(sounding == [12, 47])
  }

  @Test func `subscribers have separate fingers`() {
    desk.tell("/subscribe", .string("/mute"), as: one)
    desk.tell("/subscribe", .string("/mute"), as: two)
    desk.tell("/grid/touch", .int32(1), .int32(1), as: one)
    desk.tell("/grid/slide", .int32(1), .int32(2), as: two)
    desk.pass()
    #expect(sounding == [0, 1])
    // Both hold a cell, which sounds until the last releases it.
    desk.tell("/grid/touch", .int32(1), .int32(1), as: two)
    desk.tell("/grid/release", .int32(1), .int32(1), as: one)
    desk.pass()
    #expect(sounding == [0, 1])
    desk.tell("/grid/release", .int32(1), .int32(1), as: one)
    desk.pass()
    #expect(sounding == [0, 1])
    desk.tell("/grid/release", .int32(1), .int32(1), as: two)
    desk.pass()
    #expect(sounding == [1])
  }

  @Test func `clients with a new port each time are one`() {
    desk.tell("/grid/touch", .int32(1), .int32(1), as: one)
    desk.tell("/grid/slide", .int32(1), .int32(2), as: two)
    desk.pass()
    #expect(sounding == [1])
    desk.tell("/grid/release", .int32(1), .int32(2), as: one)
    desk.pass()
    #expect(sounding.isEmpty)
  }

  @Test func `a note released before its start ends as it starts`() {
    let touch = message("/grid/touch", .int32(1), .int32(1))
    desk.give([UInt8](bundle: [touch], at: time(frames: 4800)))
    desk.tell("/grid/release", .int32(1), .int32(1))
    render(9600)
    #expect(sounding.isEmpty)
  }

  @Test func `the notes of a silent client end after its lease`() {
    desk.tell("/grid/touch", .int32(1), .int32(1), as: one)
    desk.tell("/note/on", .int32(60), .float(1), as: two)
    desk.pass(seconds: 40)
    desk.tell("/ping", as: two)
    desk.pass(seconds: 30)
    desk.pass()
    #expect(sounding.isEmpty && level(.key(60)) == 1)
    desk.pass(seconds: 31)
    desk.pass()
    #expect(level(.key(60)) == 0)
  }

  @Test func `no note continues when the layout changes`() {
    for (path, value) in [
      ("/grid/root", Argument.string("E")), ("/grid/scale", .string("blues")),
      ("/grid/size", .string("large")), ("/grid/octaves", .int32(2)),
      ("/grid/order", .string("random")), ("/grid/randomize", .int32(7)),
      ("/grid/reference", .float(432)), ("/grid/seed", .int32(8)),
    ] {
      desk.tell("/grid/touch", .int32(1), .int32(1))
      desk.tell("/note/on", .int32(60))
      desk.pass()
      #expect(sounding == [0])
      #expect(desk.tell(path, value).isEmpty)
      desk.pass()
      #expect(sounding.isEmpty, "\(path)")
      // An unknown cell is ignored, and a removed one can still be released.
      #expect(level(.key(60)) > 0)
      desk.tell("/note/off", .int32(60))
      #expect(code(desk.tell("/grid/release", .int32(1), .int32(1))) == nil)
    }
    // A change that keeps the layout ends no notes.
    desk.tell("/grid/touch", .int32(1), .int32(1))
    desk.tell("/grid/names", .int32(0))
    desk.tell("/grid/reference", .float(432))
    desk.pass()
    #expect(sounding == [0])
  }

  @Test func `a setting in a bundle applies to the messages after it`() {
    let told = desk.give(
      [UInt8](
        bundle: [
          message("/grid/touch", .int32(1), .int32(12)),
          message("/grid/scale", .string("major")),
          // The major scale has seven columns.
          message("/grid/touch", .int32(1), .int32(7)),
          message("/grid/touch", .int32(1), .int32(12)),
        ], at: .immediately))
    #expect(code(told) == "range" && told.count == 1)
    desk.pass()
    #expect(sounding == [6])
  }

  @Test func `a scheduled note ends as it starts if the layout has changed`() {
    desk.give(
      [UInt8](bundle: [message("/grid/touch", .int32(1), .int32(1))], at: time(frames: 480)))
    desk.tell("/grid/root", .string("C"))
    render(481)
    #expect(sounding.isEmpty)
    desk.pass(frames: 4800)
    #expect(sounding.isEmpty)
    desk.give([UInt8](bundle: [message("/note/on", .int32(60))], at: time(frames: 480)))
    desk.tell("/note/allOff")
    desk.pass(frames: 4800)
    #expect(level(.key(60)) == 0)
  }

  @Test func `a refused bundle leaves layout and fingers unchanged`() {
    desk.tell("/grid/touch", .int32(1), .int32(1))
    var packets = [
      message("/grid/root", .string("C")), message("/grid/touch", .int32(1), .int32(2)),
    ]
    packets += Array(repeating: message("/mute", .int32(0)), count: 4096)
    #expect(code(desk.give([UInt8](bundle: packets, at: .immediately))) == "busy")
    desk.pass()
    #expect(sounding == [0])
    #expect(desk.tell("/grid/root") == [Received("/grid/root", [.string("A")])])
    desk.tell("/grid/slide", .int32(1), .int32(3))
    desk.pass()
    #expect(sounding == [2])
  }

  @Test func `a thousand touches in a bundle leave no note behind`() {
    var touches: [[UInt8]] = []
    var releases: [[UInt8]] = []
    for number in 0..<1000 {
      let (row, column) = (Int32(number / 12 % 3 + 1), Int32(number % 12 + 1))
      touches.append(message("/grid/touch", .int32(row), .int32(column)))
      releases.append(message("/grid/release", .int32(row), .int32(column)))
    }
    #expect(desk.give([UInt8](bundle: touches, at: .immediately)).isEmpty)
    // Some of them fit in a buffer.
    desk.pass(frames: 4800)
    #expect(sounding.count == 36)
    #expect(desk.give([UInt8](bundle: releases, at: .immediately)).isEmpty)
    desk.pass(frames: 4800)
    #expect(sounding.isEmpty)
  }

  @Test func `subscribers receive the layout once for all changes`() {
    #expect(desk.tell("/subscribe", .string("/grid/layout"), as: one).count == 43)
    desk.tell("/subscribe", .string("/grid/cell"), as: two)
    desk.tell("/grid/scale", .string("minor"))
    desk.tell("/grid/root", .string("E"))
    desk.pass()
    for client in [one, two] {
      let told = desk.take(client)
      #expect(told.first == Received("/grid/layout", [.int32(4), .int32(7)]))
      #expect(
        cells(told).prefix(7).compactMap { $0.arguments[2].text }
          == ["E", "F#", "G", "A", "B", "C", "D"])
      #expect(cells(told).count == 25)
    }
    desk.tell("/grid/names", .int32(0))
    desk.pass(seconds: 0.1)
    let bare = desk.take(one)
    #expect(cells(bare).count == 25 && cells(bare).allSatisfy { $0.arguments[2] == .string("") })
    // The same value sends no update.
    desk.tell("/grid/scale", .string("aeolian"))
    desk.pass(seconds: 0.1)
    #expect(desk.take(one).isEmpty)
  }

  @Test func `cells are lit while they or their MIDI note sound`() {
    desk.tell("/subscribe", .string("/grid/lit"), as: one)
    desk.tell("/grid/touch", .int32(1), .int32(2), .float(0.5))
    desk.pass()
    func lit(_ row: Int32, _ column: Int32, _ level: Float) -> Received {
      Received("/grid/lit", [.int32(row), .int32(column), .float(level)])
    }
    // The audio thread has it by the next poll.
    desk.pass()
    #expect(desk.take(one) == [lit(1, 2, 0.5)])
    let start = NoteStart(finger: .midi(57), key: 57, cents: 5700, velocity: 0.75)
    desk.host.send(Command(.note(.on(start))))
    desk.pass()
    // The second row runs backward.
    #expect(desk.take(one) == [lit(2, 12, 0.75)])
    #expect(
      desk.tell("/subscribe", .string("/grid/lit"), as: two)
        == [lit(1, 2, 0.5), lit(2, 12, 0.75)])
    desk.host.send(Command(.note(.off(.midi(57)))))
    desk.tell("/grid/release", .int32(1), .int32(2))
    desk.pass()
    desk.pass()
    #expect(desk.take(one) == [lit(1, 2, 0), lit(2, 12, 0)])
    // A new layout turns the lights off first.
    desk.tell("/grid/touch", .int32(1), .int32(2), .float(0.5))
    desk.pass()
    desk.pass()
    _ = desk.take(one)
    desk.tell("/grid/root", .string("B"))
    for _ in 0..<4 { desk.pass() }
    #expect(desk.take(one) == [lit(1, 2, 0)])
  }

  @Test func `a random order is the same for each seed, and the scale's can be restored`() {
    func order() -> [Argument] { cells(desk.tell("/grid/layout")).map { $0.arguments[3] } }
    let inOrder = order()
    desk.tell("/grid/randomize", .int32(5))
    let five = order()
    #expect(five != inOrder)
    #expect(desk.tell("/grid/order") == [Received("/grid/order", [.string("random")])])
    desk.tell("/grid/randomize")
    #expect(order() != five)
    desk.tell("/grid/randomize", .int32(0))
    #expect(desk.tell("/grid/seed")[0].arguments != [.int32(0)])
    desk.tell("/grid/seed", .int32(5))
    #expect(order() == five)
    desk.tell("/grid/order", .string("scale"))
    #expect(order() == inOrder)
    #expect(code(desk.tell("/grid/order", .string("up"))) == "range")
  }

  @Test func `a root is set by name or number, and reported by name`() {
    for (given, name) in [
      (Argument.string("g#"), "G#"), (.string("Bb"), "Bb"), (.int32(0), "C"), (.float(61), "Db"),
    ] {
      #expect(desk.tell("/grid/root", given).isEmpty)
      #expect(desk.tell("/grid/root") == [Received("/grid/root", [.string(name)])])
    }
    #expect(code(desk.tell("/grid/root", .string("H"))) == "range")
    #expect(code(desk.tell("/grid/root", .int32(128))) == "range")
    #expect(code(desk.tell("/grid/root", .string("A"), .int32(1))) == "type")
  }

  @Test func `notes have the pitch of the tuning`() {
    let memory = PhraseMemory(mostTouches: 16, seconds: 10)
    desk.host.send(Command(.recordPhrase(memory.pointer)))
    desk.tell("/grid/touch", .int32(1), .int32(2))
    desk.tell("/grid/reference", .float(415.3047))
    desk.tell("/piano/octave", .int32(5))
    desk.tell("/grid/touch", .int32(1), .int32(2))
    desk.tell("/note/on", .int32(69))
    desk.tell("/piano/1")
    desk.pass()
    let notes = (0..<memory.eventCount).map(memory.event).filter(\.isTouch).map(\.note)
    // 415.3047 Hz is a semitone below 440 Hz to a thousandth of a cent. Cents are Floats.
    for (note, cents) in zip(notes, [Float(4600), 4500, 6800, 7100]) {
      #expect(abs(note.cents - cents) < 0.01 && note.key == UInt8(cents / 100))
    }
    #expect(notes.count == 4)
  }

  @Test func `the keys of the piano are in its octave`() {
    #expect(desk.tell("/piano/1", .float(1)).isEmpty)
    desk.tell("/piano/7", .int32(1))
    desk.pass()
    #expect(level(.piano(1)) == 1 && level(.piano(7)) == 1)
    #expect(desk.tell("/piano/octave", .int32(8)).isEmpty)
    #expect(code(desk.tell("/piano/octave", .int32(9))) == "range")
    desk.tell("/piano/1", .float(0))
    desk.tell("/piano/7", .float(0))
    desk.pass()
    #expect(level(.piano(1)) == 0 && level(.piano(7)) == 0)
    #expect(code(desk.tell("/note/on", .int32(128), .float(1))) == "range")
  }
}
