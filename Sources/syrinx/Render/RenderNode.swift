internal import Control
internal import Drivers
internal import Engine
internal import OSC

/// The node of a render: an engine that a driver without a clock renders, and all that is set in it.
final class RenderNode {
  let engine: Engine
  let driver: RenderDriver
  private let node: Node
  // What is still to be set, in the order of time; of one time, in that in which it was given.
  private var cues: [(frame: Int, assignment: String)]

  /// A node at a rate in Hz, with its preset loaded, and set as from the first sound on.
  init(_ options: RenderOptions, rate: Int) throws(Failure) {
    let engine = Engine(sampleRate: Double(rate))
    self.engine = engine
    driver = RenderDriver(engine, rate: rate)
    let clock = RenderClock(rate: rate, block: RenderDriver.longestBlock)
    node = Node(
      name: "render", engine: engine, soundServer: clock,
      presets: StoredFiles.presets(home: options.home)
    ) { engine.shared.clockReading.microseconds }
    cues = options.settings.enumerated().compactMap { place, setting in
      setting.seconds.map { (place, Int(($0 * Double(rate)).rounded()), setting.assignment) }
    }
    .sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map { ($0.1, $0.2) }
    if let preset = options.preset { try StoredFiles.load(preset, into: node) }
    for setting in options.settings where setting.seconds == nil { try set(setting.assignment) }
  }

  /// Finds what is wrong with the preset and the settings of a render, those of later times too,
  /// before anything is rendered; returns the rate at which IN begins, 1 being its own.
  static func rehearse(_ options: RenderOptions) throws(Failure) -> Double {
    let trial = try RenderNode(options, rate: RenderOptions.rates.lowerBound)
    trial.driver.render(frames: RenderDriver.longestBlock)
    trial.tick()
    let speed = trial.speed
    try trial.setDue(at: .max)
    return speed
  }

  /// The frame of IN at which something is to be set next.
  var nextCue: Int? { cues.first?.frame }

  /// Sets what is due when IN was heard up to a frame.
  func setDue(at frame: Int) throws(Failure) {
    while let next = cues.first, next.frame <= frame {
      cues.removeFirst()
      try set(next.assignment)
    }
  }

  private func set(_ assignment: String) throws(Failure) {
    do throws(Refusal) {
      try node.set(assignment)
    } catch {
      throw Failure(error.code == .missing ? .missingInput : .usage, "--set: \(error.message)")
    }
  }

  /// Hears of what has become of commands.
  func tick() { _ = node.tick() }

  /// By how many frames the sound of IN comes later.
  var delay: Int { isThroughChain ? engine.shared.chainDelayFrames : 0 }

  private func value(_ path: String) -> Argument? {
    node.table[path].flatMap(node.argument(for:))
  }

  private var isThroughChain: Bool { value("/live/route") == .string("chain") }

  /// The rate at which a recording is played.
  private var speed: Double {
    guard isThroughChain, value("/chain/bypass")?.number == 0, value("/stretch/on")?.number == 1
    else { return 1 }
    return value("/stretch/rate")?.number ?? 1
  }
}
