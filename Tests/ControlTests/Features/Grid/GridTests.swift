import Control
import Engine
import Music
import OSC
import Posix
import TestSupport
import Testing

/// The grid as somebody plays it who has a surface, on an offline engine.
@Suite struct GridTests {
  private let desk = Desk()
  private let one = Desk.client(9001)
  private let two = Desk.client(9002)

  private func level(_ finger: Finger) -> Float {
    desk.host.engine.shared.notes.level(of: finger)
  }

  /// The numbers of the cells that sound, with the default layout's twelve columns.
  private var sounding: [Int] { (0..<Finger.mostCells).filter { level(.cell($0)) > 0 } }

  private func code(_ received: [Received]) -> String? {
    received.last { $0.address == "/error" }?.arguments[1].text
  }

  private func message(_ address: String, _ arguments: Argument...) -> [UInt8] {
    [UInt8](address: address, arguments)
  }

  /// A time tag so many frames after those that were rendered.
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

  @Test func `the layout is told with its cells: A chromatic at first`() {
    let told = desk.tell("/grid/layout")
    #expect(told.first == Received("/grid/layout", [.int32(4), .int32(12)]))
    // Three octaves and a half.
    #expect(told.count == 1 + 42)
    #expect(told[1] == Received("/grid/cell", [.int32(1), .int32(1), .string("A"), .int32(45)]))
    #expect(desk.tell("/grid/root") == [Received("/grid/root", [.string("A")])])
    #expect(desk.tell("/grid/scale") == [Received("/grid/scale", [.string("chromatic")])])
  }

  @Test func `touched it sounds as hard as it was, and released it ends`() {
    #expect(desk.tell("/grid/touch", .int32(2), .int32(3), .float(0.5)).isEmpty)
    #expect(desk.tell("/grid/touch", .int32(1), .int32(1)).isEmpty)
    desk.pass()
    #expect(level(.cell(14)) == 0.5 && level(.cell(0)) == 0.8)
    #expect(desk.tell("/grid/release", .int32(2), .int32(3)).isEmpty)
    desk.tell("/grid/touch", .int32(1), .int32(1), .float(0))
    desk.pass()
    #expect(sounding.isEmpty)
    // Not touched, and not there: nothing to be told of.
    #expect(desk.tell("/grid/release", .int32(2), .int32(3)).isEmpty)
    #expect(desk.tell("/grid/release", .int32(99), .int32(0)).isEmpty)
  }

  @Test func `one address a button does the same`() {
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

  @Test func `a cell that is not there is out of range, and the line says what is`() {
    let told = desk.tell("/grid/touch", .int32(5), .int32(1))
    #expect(code(told) == "range")
    #expect(
      told.last?.arguments[2]
        == .string("the grid has rows 1 to 4 and columns 1 to 12; got row 5, column 1"))
    // The last row goes back, and ends half way.
    #expect(code(desk.tell("/grid/touch", .int32(4), .int32(1))) == "range")
    #expect(code(desk.tell("/grid/touch", .int32(4), .int32(12))) == nil)
    #expect(code(desk.tell("/grid/slide", .int32(0), .int32(1))) == "range")
  }

  @Test func `a timed touch is on its frame, and a slide ends and begins on one`() {
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

  @Test func `a slide takes the nearest finger, of two the one touched last, and its velocity`() {
    desk.tell("/grid/touch", .int32(1), .int32(1), .float(0.3))
    desk.tell("/grid/touch", .int32(1), .int32(5), .float(0.4))
    desk.tell("/grid/slide", .int32(1), .int32(3))
    desk.pass()
    #expect(sounding == [0, 2] && level(.cell(2)) == 0.4)
    desk.tell("/grid/slide", .int32(2), .int32(1))
    desk.pass()
    #expect(sounding == [2, 12] && level(.cell(12)) == 0.3)
    // It is there already.
    desk.tell("/grid/slide", .int32(2), .int32(1))
    desk.pass()
    #expect(sounding == [2, 12])
    desk.tell("/grid/slide", .int32(4), .int32(12))
    desk.pass()
    #expect(sounding == [12, 47])
  }

  @Test func `clients who subscribe have fingers of their own`() {
    desk.tell("/subscribe", .string("/mute"), as: one)
    desk.tell("/subscribe", .string("/mute"), as: two)
    desk.tell("/grid/touch", .int32(1), .int32(1), as: one)
    desk.tell("/grid/slide", .int32(1), .int32(2), as: two)
    desk.pass()
    #expect(sounding == [0, 1])
    // Both hold one cell: it sounds until the last of them lets go.
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

  @Test func `those who come from another port each time are one`() {
    desk.tell("/grid/touch", .int32(1), .int32(1), as: one)
    desk.tell("/grid/slide", .int32(1), .int32(2), as: two)
    desk.pass()
    #expect(sounding == [1])
    desk.tell("/grid/release", .int32(1), .int32(2), as: one)
    desk.pass()
    #expect(sounding.isEmpty)
  }

  @Test func `what is let go before its time comes ends as it begins`() {
    let touch = message("/grid/touch", .int32(1), .int32(1))
    desk.give([UInt8](bundle: [touch], at: time(frames: 4800)))
    desk.tell("/grid/release", .int32(1), .int32(1))
    render(9600)
    #expect(sounding.isEmpty)
  }

  @Test func `what a client holds that says nothing any more ends after its lease`() {
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

  @Test func `when the layout changes nothing goes on sounding`() {
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
      // What is no cell is left alone, and its finger can still be let go.
      #expect(level(.key(60)) > 0)
      desk.tell("/note/off", .int32(60))
      #expect(code(desk.tell("/grid/release", .int32(1), .int32(1))) == nil)
    }
    // What leaves all notes where they are ends none.
    desk.tell("/grid/touch", .int32(1), .int32(1))
    desk.tell("/grid/names", .int32(0))
    desk.tell("/grid/reference", .float(432))
    desk.pass()
    #expect(sounding == [0])
  }

  @Test func `in one bundle a setting holds for what comes after it`() {
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

  @Test func `a note that was to begin later ends as it begins, where the layout has changed`() {
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

  @Test func `a bundle that is refused leaves layout and fingers as they were`() {
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
    // A block has time for some of them.
    desk.pass(frames: 4800)
    #expect(sounding.count == 36)
    #expect(desk.give([UInt8](bundle: releases, at: .immediately)).isEmpty)
    desk.pass(frames: 4800)
    #expect(sounding.isEmpty)
  }

  @Test func `subscribers are told the layout when it changes, once for all that changed`() {
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
    // The same again is nothing new.
    desk.tell("/grid/scale", .string("aeolian"))
    desk.pass(seconds: 0.1)
    #expect(desk.take(one).isEmpty)
  }

  @Test func `cells are lit while they sound, or their note on a MIDI keyboard does`() {
    desk.tell("/subscribe", .string("/grid/lit"), as: one)
    desk.tell("/grid/touch", .int32(1), .int32(2), .float(0.5))
    desk.pass()
    func lit(_ row: Int32, _ column: Int32, _ level: Float) -> Received {
      Received("/grid/lit", [.int32(row), .int32(column), .float(level)])
    }
    // The audio has it after the next look at the latest.
    desk.pass()
    #expect(desk.take(one) == [lit(1, 2, 0.5)])
    let start = NoteStart(finger: .midi(57), key: 57, cents: 5700, velocity: 0.75)
    desk.host.send(Command(.note(.on(start))))
    desk.pass()
    // The second row goes back.
    #expect(desk.take(one) == [lit(2, 12, 0.75)])
    #expect(
      desk.tell("/subscribe", .string("/grid/lit"), as: two)
        == [lit(1, 2, 0.5), lit(2, 12, 0.75)])
    desk.host.send(Command(.note(.off(.midi(57)))))
    desk.tell("/grid/release", .int32(1), .int32(2))
    desk.pass()
    desk.pass()
    #expect(desk.take(one) == [lit(1, 2, 0), lit(2, 12, 0)])
    // Another layout puts the lights out first.
    desk.tell("/grid/touch", .int32(1), .int32(2), .float(0.5))
    desk.pass()
    desk.pass()
    _ = desk.take(one)
    desk.tell("/grid/root", .string("B"))
    for _ in 0..<4 { desk.pass() }
    #expect(desk.take(one) == [lit(1, 2, 0)])
  }

  @Test func `a random order is the same for each seed, and the scale's comes back`() {
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

  @Test func `a root comes by name or by number, and is told by its name`() {
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

  @Test func `what is played has the pitch of the tuning`() {
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
    // 415.3047 Hz is a semitone below 440 Hz, to a thousandth of a cent; cents are Floats.
    for (note, cents) in zip(notes, [Float(4600), 4500, 6800, 7100]) {
      #expect(abs(note.cents - cents) < 0.01 && note.key == UInt8(cents / 100))
    }
    #expect(notes.count == 4)
  }

  @Test func `the keys of the piano lie in its octave`() {
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
