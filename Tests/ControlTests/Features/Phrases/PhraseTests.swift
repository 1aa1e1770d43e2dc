import Control
import Engine
import OSC
import TestSupport
import Testing

/// The phrase recorder as used from a surface.
@Suite struct PhraseTests {
  private let desk = Desk()
  private let phone = Desk.client(9001)

  private func state() -> [Argument] { desk.tell("/phrase/state")[0].arguments }

  private func record() {
    desk.tell("/phrase/record")
    desk.pass(frames: 960)
    for (row, column) in [(1, 1), (1, 4), (2, 12)] as [(Int32, Int32)] {
      desk.tell("/grid/touch", .int32(row), .int32(column))
      desk.pass(frames: 4800)
      desk.tell("/grid/release", .int32(row), .int32(column))
    }
    desk.tell("/note/on", .int32(64), .float(0.5))
    desk.pass(frames: 4800)
    desk.tell("/note/off", .int32(64))
    desk.tell("/phrase/stop")
    desk.pass(frames: 960)
  }

  @Test func `the state and the notes of the phrase are reported`() {
    #expect(state() == [.string("stopped"), .float(0), .float(0), .int32(0)])
    #expect(desk.tell("/phrase/notes")[0].arguments.isEmpty)
    desk.tell("/phrase/record")
    desk.pass(frames: 4800)
    #expect(state()[0] == .string("recording"))
    record()
    #expect(state()[0] == .string("stopped") && state()[3] == .int32(4))
    // The current key does not matter.
    desk.tell("/grid/root", .string("Eb"))
    #expect(
      desk.tell("/phrase/notes")[0].arguments == ["A", "C", "A", "E"].map(Argument.string))
    guard case .float(let length) = state()[2] else { return }
    // 960 frames and four times 4800, plus a buffer or two per message.
    #expect(abs(length - 20_160 / 48_000) < 0.03)
  }

  @Test func `subscribers receive each note as it is played`() {
    record()
    desk.tell("/subscribe", .string("/phrase"), as: phone)
    desk.tell("/subscribe", .string("/grid/lit"), as: phone)
    desk.pass()
    _ = desk.take(phone)
    desk.tell("/phrase/play")
    var notes: [(Double, String)] = []
    let start = desk.seconds
    var lit = 0
    var states: [String] = []
    for _ in 0..<60 {
      desk.pass(frames: 480)
      for message in desk.take(phone) {
        if message.address == "/phrase/note" {
          notes.append((desk.seconds - start, message.arguments[0].text ?? ""))
        }
        if message.address == "/grid/lit", message.arguments[2] != .float(0) { lit += 1 }
        if message.address == "/phrase/state" { states.append(message.arguments[0].text ?? "") }
      }
    }
    #expect(notes.map(\.1) == ["A", "C", "A", "E"])
    // Polled every ten milliseconds.
    for (note, seconds) in zip(notes, [0.02, 0.12, 0.22, 0.32]) {
      #expect(abs(note.0 - seconds) < 0.025)
    }
    #expect(lit == 3)
    #expect(states.first == "playing" && states.last == "stopped")
    // The second playback reports the same.
    desk.tell("/phrase/play")
    desk.pass(frames: 24_000)
    #expect(desk.take(phone).count { $0.address == "/phrase/note" } == 4)
  }

  @Test func `playing an empty phrase is an error, and allOff ends playback`() {
    desk.tell("/phrase/play")
    desk.pass()
    let told = desk.take()
    #expect(told.first?.address == "/error" && told.first?.arguments[1] == .string("state"))
    record()
    desk.tell("/phrase/play")
    desk.pass(frames: 2400)
    #expect(state()[0] == .string("playing"))
    #expect(desk.host.engine.shared.notes.level(of: Finger.cell(0).repeated()) == 0.8)
    desk.tell("/note/allOff")
    desk.pass()
    #expect(state()[0] == .string("stopped"))
    #expect(desk.host.engine.shared.notes.level(of: Finger.cell(0).repeated()) == 0)
  }

  @Test func `a released button does nothing`() {
    record()
    desk.tell("/phrase/record", .float(0))
    desk.tell("/phrase/play", .float(0))
    desk.pass()
    #expect(state()[0] == .string("stopped") && state()[3] == .int32(4))
  }
}
