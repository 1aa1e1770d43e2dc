import Control
import OSC
import TestSupport
import Testing

/// The lock against deletion.
@Suite struct LockTests {
  private let desk = Desk()

  private func code(_ path: String, _ arguments: Argument...) -> Argument? {
    desk.give([UInt8](address: path, arguments)).first { $0.address == "/error" }?.arguments[1]
  }

  @Test func `destructive commands are refused with one error while the lock is on`() {
    desk.tell("/lock", .int32(1))
    for path in [
      "/take/delete", "/take/picture/remove", "/preset/delete", "/scale/delete",
      "/instrument/delete", "/loops/load", "/loops/delete",
    ] {
      #expect(code(path, .string("x")) == .string("denied"), "\(path)")
    }
    #expect(code("/feed/delete", .int32(1)) == .string("denied"))
    desk.tell("/lock", .int32(0))
    #expect(code("/scale/delete", .string("x")) != .string("denied"))
  }

  @Test func `a loop is not cleared, and the error names the unlock command`() {
    desk.tell("/loop/1/record")
    _ = desk.play(Tone.noise(frames: 4800))
    desk.tell("/loop/1/record")
    desk.tell("/lock", .int32(1))
    desk.tell("/loop/1/clear")
    desk.pass(frames: 480)
    let error = desk.take().first { $0.address == "/error" }
    #expect(
      error?.arguments[2]
        == .string("/loop/1/clear: a clip would be lost, and the lock is on; /lock 0 unlocks"))
    #expect(desk.tell("/lock").first?.arguments == [.int32(1)])
  }

  @Test func `a press of a mapped note deletes nothing while it is on`() {
    desk.tell("/subscribe", .string("/error"))
    desk.tell("/midi/bind", .string("note:40"), .string("/scale/delete"), .string("mine"))
    desk.tell("/scale/user", .string("mine"), .int32(0), .int32(3), .int32(7))
    _ = desk.take()
    for (lock, code) in [(1, "denied"), (0, nil)] as [(Int32, String?)] {
      desk.tell("/lock", .int32(lock))
      desk.host.midi += [(desk.host.frame, [0x90, 40, 100])]
      _ = desk.play(Tone.constant(0, frames: 1536))
      desk.pass(frames: 480)
      let error = desk.take().first { $0.address == "/error" }
      #expect(error?.arguments[1].text == code, "\(String(describing: error))")
      desk.host.midi += [(desk.host.frame, [0x80, 40, 0])]
      _ = desk.play(Tone.constant(0, frames: 1536))
      desk.seconds += 1
      desk.pass(frames: 480)
    }
  }
}
