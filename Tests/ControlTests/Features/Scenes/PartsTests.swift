import Control
import OSC
import TestSupport
import Testing

@Suite struct PartsTests {
  private let stage: SceneDesk
  private var desk: Desk { stage.desk }

  init() throws { stage = try SceneDesk() }

  private func states() -> [String] { (1...3).map { stage.value("/loop/\($0)/state") } }

  @Test func `parts play their loops together, and leave mutes and other loops alone`() {
    for loop in 1...3 { stage.record(loop, hertz: 400) }
    desk.tell("/part/1/loops", .int32(1))
    desk.tell("/part/2/loops", .int32(2))
    desk.tell("/loop/1/mute", .int32(1))
    desk.tell("/loop/3/play")
    #expect(stage.result("/part", .int32(1)) == "1")
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(states() == ["muted", "stopped", "playing"])
    #expect(stage.result("/part", .int32(2)) == "2")
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(states() == ["stopped", "playing", "playing"])
    #expect(stage.value("/loop/1/mute") == "1.0")
    #expect(stage.value("/part") == "2.0")
    #expect(stage.result("/part", .int32(0)) == "0")
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(states() == ["stopped", "stopped", "playing"])
  }

  @Test func `a part without loops is refused`() {
    #expect(stage.result("/part", .int32(3)).hasPrefix("state: "))
    desk.tell("/part/3/loops", .int32(1), .int32(4))
    #expect(stage.values("/part/3/loops") == ["1.0", "4.0"])
    #expect(stage.result("/part", .int32(3)) == "3")
    desk.tell("/part/3/loops", .int32(0))
    #expect(stage.values("/part/3/loops") == ["0.0"])
  }

  @Test func `parts outlast a restart`() {
    desk.tell("/part/1/loops", .int32(1), .int32(3))
    desk.tell("/part/6/loops", .int32(2))
    let later = Desk()
    #expect(later.node.keeper.resume(desk.node.keeper.state).isEmpty)
    func loops(_ part: Int) -> [Double?] {
      later.tell("/part/\(part)/loops").first?.arguments.map(\.number) ?? []
    }
    #expect(loops(1) == [1, 3])
    #expect(loops(2) == [0])
    #expect(loops(6) == [2])
  }

  @Test func `a scene chooses a part`() throws {
    stage.record(1, hertz: 400)
    desk.tell("/part/1/loops", .int32(1))
    try stage.put(#"{ "set": { "/part": 1 } }"#, "scenes", "hand")
    #expect(stage.result("/scene", .string("hand")) == "hand")
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(stage.value("/loop/1/state") == "playing")
    #expect(stage.value("/part") == "1.0")
  }
}
