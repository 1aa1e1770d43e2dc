import Engine
import TestSupport

/// Several loops, each recorded from its own stem.
final class LoopStage {
  let host: OfflineHost
  private(set) var stems: [[Float]]
  private(set) var mix: [Float] = []
  let block: Int

  init(
    count: Int = 4, seconds: Double = 10, block: Int = 64, kept: Double = 12,
    lateness: Float = 0, sampleRate: Double = 48_000
  ) {
    self.block = block
    host = OfflineHost(
      sampleRate: sampleRate, loops: LoopSetup(count: count, seconds: seconds, keptSeconds: kept))
    stems = Array(repeating: [], count: count)
    set(.mixer(.liveRoute), 2)
    set(.beat(.lateness), lateness)
    play(Tone.constant(0, frames: 4800))
    stems = Array(repeating: [], count: count)
    mix = []
  }

  /// The number of frames rendered.
  var time: Int { mix.count }

  func reading(_ loop: Int) -> PublishedLoop.Reading {
    host.engine.shared.loops[loop].state.read()
  }

  func activity(_ loop: Int) -> LoopActivity { reading(loop).activity }

  func set(_ parameter: Parameter, _ value: Float) {
    host.send(Command(.set(parameter, value)))
  }

  func set(_ parameter: Parameter.Loop, of loop: Int, _ value: Float) {
    set(.loop(parameter, UInt8(loop)), value)
  }

  /// Sends an action for the next frame.
  func send(_ action: LoopAction, _ loop: Int) {
    host.send(Command(.loop(action, loop: UInt8(loop))))
  }

  /// Sends an action, renders one frame, and returns the result.
  @discardableResult
  func press(_ action: LoopAction, _ loop: Int) -> EngineRefusal? {
    _ = host.events()
    send(action, loop)
    render([0])
    return refusal
  }

  /// The refusal of the last refused command since the events were last read.
  var refusal: EngineRefusal? {
    var found: EngineRefusal?
    for event in host.events() {
      if case .refused(let refusal) = event.kind { found = refusal }
    }
    return found
  }

  func play(_ sound: [Float]) {
    render(sound)
    if time.isMultiple(of: 7) { _ = host.events() }
  }

  private func render(_ sound: [Float]) {
    let output = host.render(sound, block: block)
    for index in stems.indices { stems[index] += output.loops[index] }
    mix += output.left
  }

  func rest(_ frames: Int) { play(Tone.constant(0, frames: frames)) }

  /// Records a constant level into the first loops, one after the other, which then play.
  func record(level: Float, frames: Int, loops: Int) {
    for loop in 0..<loops {
      record(Tone.constant(level, frames: frames), loop)
      play(Tone.constant(level, frames: 600))
    }
    rest(2400)
  }

  /// Records a sound into a loop, which plays from the next frame on.
  func record(_ sound: [Float], _ loop: Int) {
    send(.recordOn, loop)
    play(sound)
    send(.recordOn, loop)
  }
}
