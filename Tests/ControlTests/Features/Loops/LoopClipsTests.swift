import Control
import OSC
import TestSupport
import Testing

/// Copies of clips from loop to loop.
@Suite struct LoopClipsTests {
  private let desk = Desk()

  private func record(_ hertz: Double, frames: Int, _ loop: Int) {
    desk.tell("/loop/\(loop)/record")
    _ = desk.play(Tone.sine(hertz, amplitude: 0.5, frames: frames))
    desk.tell("/loop/\(loop)/record")
    _ = desk.play(Tone.sine(hertz, amplitude: 0.5, frames: 960))
  }

  private func state(_ loop: Int) -> [Argument] {
    desk.tell("/loop/\(loop)/state").first?.arguments ?? []
  }

  private func seconds(_ loop: Int) -> Double { state(loop)[2].number ?? 0 }

  private func reply(_ path: String, _ other: Int32) -> Received? {
    if let refusal = desk.tell(path, .int32(other)).first { return refusal }
    for _ in 0..<200 {
      desk.pass()
      if let reply = desk.take().first(where: { ["/reply", "/error"].contains($0.address) }) {
        return reply
      }
    }
    return nil
  }

  @Test func `a copy is a loop of its own, and undo restores what it replaced`() {
    record(440, frames: 9600, 1)
    record(440, frames: 4800, 2)
    #expect(
      reply("/loop/1/copy", 2) == Received("/reply", ["/loop/1/copy", "2"].map(Argument.string)))
    #expect(abs(seconds(1) - 0.2) < 1e-6 && abs(seconds(2) - 0.2) < 1e-6)
    #expect(state(1)[0] == .string("playing"))
    desk.tell("/loop/2/play")
    desk.pass(frames: 960)
    #expect(state(2)[0] == .string("playing"))
    desk.tell("/loop/2/undo")
    desk.pass(frames: 960)
    #expect(abs(seconds(2) - 0.1) < 1e-6)
  }

  @Test func `two loops are swapped, and undo restores both`() {
    record(440, frames: 9600, 1)
    record(440, frames: 4800, 3)
    #expect(reply("/loop/1/swap", 3)?.address == "/reply")
    #expect(abs(seconds(1) - 0.1) < 1e-6 && abs(seconds(3) - 0.2) < 1e-6)
    for loop in [1, 3] { desk.tell("/loop/\(loop)/undo") }
    desk.pass(frames: 960)
    #expect(abs(seconds(1) - 0.2) < 1e-6 && abs(seconds(3) - 0.1) < 1e-6)
  }

  @Test func `an empty loop, the same one, and one that there is not are refused`() {
    record(440, frames: 4800, 1)
    #expect(reply("/loop/2/copy", 1)?.arguments[1] == .string("state"))
    #expect(reply("/loop/1/swap", 2)?.arguments[1] == .string("state"))
    #expect(seconds(1) > 0)
    #expect(
      reply("/loop/1/copy", 1)?.arguments[2]
        == .string("/loop/1/copy: source and destination are both loop 1; choose another loop"))
    #expect(reply("/loop/1/copy", 16)?.arguments[1] == .string("range"))
  }
}
