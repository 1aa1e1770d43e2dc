import Control
import Engine
import OSC
import TestSupport
import Testing

/// The startup sound.
@Suite struct GreetingTests {
  private let desk = Desk()

  /// The keys that sound on their own.
  private var sounding: [Int] {
    (0..<128).filter {
      desk.host.engine.shared.notes.level(of: Finger.key(UInt8($0)).repeated()) > 0
    }
  }

  /// The keys in order of start, and the time until silence in seconds.
  private func listen() -> (keys: [Int], seconds: Double) {
    var keys: [Int] = []
    var last = 0.0
    for step in 0..<100 {
      desk.pass(frames: 480)
      keys += sounding.filter { !keys.contains($0) }
      if !sounding.isEmpty { last = Double(step + 1) / 100 }
    }
    return (keys, last)
  }

  @Test func `three notes of the root triad, over in six tenths of a second`() {
    desk.node[Greeting.self].play()
    let first = listen()
    #expect(first.keys == [57, 61, 64] && first.seconds < 0.6)
    desk.tell("/grid/root", .string("E"))
    desk.tell("/grid/scale", .string("minor"))
    desk.node[Greeting.self].play()
    #expect(listen().keys == [64, 67, 71])
  }

  @Test func `none when disabled`() {
    desk.tell("/settings/startup", .int32(0))
    #expect(desk.tell("/settings/startup") == [Received("/settings/startup", [.int32(0)])])
    desk.node[Greeting.self].play()
    #expect(listen().keys.isEmpty)
  }

  @Test func `no phrase records it`() {
    desk.tell("/phrase/record")
    desk.node[Greeting.self].play()
    #expect(!listen().keys.isEmpty)
    #expect(desk.tell("/phrase/state")[0].arguments.last == .int32(0))
  }
}
