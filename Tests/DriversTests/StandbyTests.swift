import Drivers
import Engine
import TestSupport
import Testing

/// The engine without a server: its meters show its output.
@Suite struct StandbyTests {
  /// A note of the grid's steady tone, with a route of the grid.
  private static func host(route: Float) -> OfflineHost {
    let host = OfflineHost(isPlayable: true)
    host.send(Command(.set(.mixer(.gridRoute), route)))
    host.send(Command(.set(.mixer(.gridGain), -20)))
    let note = NoteStart(finger: .key(60), key: 60, cents: 6000, velocity: 1)
    host.send(Command(.note(.on(note))))
    _ = host.render(Tone.constant(0, frames: 48_000), block: 240)
    return host
  }

  /// The peaks of both outputs since the last call.
  private static func peaks(of engine: Engine) -> [Float] {
    [engine.shared.meters.collect(.out1), engine.shared.meters.collect(.out2)]
  }

  /// Waits until a driver with its own thread has rendered this many more frames.
  private static func wait(for frames: UInt64, of engine: Engine) throws {
    let end = engine.shared.frameCount + frames
    try waitUntil("the driver renders") { engine.shared.frameCount >= end }
  }

  @Test(arguments: [(0, "chain"), (1, "direct")])
  func `the grid is as loud without a server as with one`(route: Float, name: String) throws {
    let host = Self.host(route: route)
    _ = Self.peaks(of: host.engine)
    _ = host.render(Tone.constant(0, frames: 9600), block: 240)
    let expected = Self.peaks(of: host.engine)
    try #require(expected.allSatisfy { $0 > 0.01 })

    let standby = try Standby(host.engine)
    defer { standby.end() }
    // The fade-in, and the start of a wait that may lie within a block.
    try Self.wait(for: 24_000, of: host.engine)
    _ = Self.peaks(of: host.engine)
    try Self.wait(for: 9600, of: host.engine)
    for (peak, expected) in zip(Self.peaks(of: host.engine), expected) {
      #expect(abs(peak / expected - 1) < 0.01, "\(name): \(peak) in place of \(expected)")
    }
  }

  @Test func `a recording that the server's end cuts off is reported, and then none starts`()
    throws
  {
    let host = OfflineHost()
    host.send(Command(.loop(.recordOn, loop: 1)))
    _ = host.render(Tone.constant(0.1, frames: 24_000), block: 240)
    _ = host.events()
    let shared = host.engine.shared

    let standby = try Standby(host.engine)
    var ended: [Int] = []
    try waitUntil("the recording has ended") {
      ended += shared.nextInterrupted().ended
      return shared.loops[1].state.read().state == .standby || !ended.isEmpty
    }
    #expect(ended == [1])
    #expect(shared.loops[1].state.read().length == 24_000)
    var refusals: [EngineRefusal] = []
    for action in [LoopAction.recordOn, .record, .press] {
      host.send(Command(.loop(action, loop: 2)))
      try waitUntil("the command is answered") {
        let answers = host.events().compactMap { event -> EngineRefusal? in
          if case .refused(let refusal) = event.kind { refusal } else { nil }
        }
        refusals += answers
        return !answers.isEmpty
      }
    }
    #expect(refusals == [.noInput, .noInput, .noInput])
    #expect(shared.loops[2].state.read().state == .standby)
    standby.end()

    let next = OfflineHost(takingOver: host.engine, sampleRate: 48_000)
    next.send(Command(.loop(.recordOn, loop: 2)))
    _ = next.render(Tone.constant(0.1, frames: 480), block: 240)
    #expect(shared.loops[2].state.read().state == .recording)
  }
}
