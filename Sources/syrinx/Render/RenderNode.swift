internal import Control
internal import Drivers
internal import Engine
internal import OSC

/// The node of a render: an engine with an offline driver, and the settings.
final class RenderNode {
  let engine: Engine
  let driver: RenderDriver
  private let node: Node
  // The pending settings, in order of time, then of the command line.
  private var cues: [(frame: Int, assignment: String)]

  /// Creates a node at a sample rate in Hz, with its preset and initial settings applied.
  init(_ options: RenderOptions, rate: Int) throws(Failure) {
    let engine = Engine(sampleRate: Double(rate))
    self.engine = engine
    driver = RenderDriver(engine, rate: rate)
    let clock = RenderClock(rate: rate, block: RenderDriver.longestBlock)
    node = Node(
      name: "render", engine: engine, soundServer: clock,
      presets: StoredFiles.presets(home: options.home)
    ) { engine.shared.clockReading.microseconds }
    cues = options.settings.compactMap { setting in
      setting.seconds.map { (Int(($0 * Double(rate)).rounded()), setting.assignment) }
    }
    // Stable: settings of one time stay in order.
    cues.sort { $0.frame < $1.frame }
    if let preset = options.preset { try StoredFiles.load(preset, into: node) }
    for setting in options.settings where setting.seconds == nil { try set(setting.assignment) }
  }

  /// Validates the preset and all settings of a render, including timed ones, before anything is
  /// rendered.
  ///
  /// Returns the playback rate at the start of IN; 1 is the original.
  static func rehearse(_ options: RenderOptions) throws(Failure) -> Double {
    let trial = try RenderNode(options, rate: RenderOptions.rates.lowerBound)
    trial.driver.render(frames: RenderDriver.longestBlock)
    trial.tick()
    let speed = trial.speed
    try trial.setDue(at: .max)
    return speed
  }

  /// The frame of IN at which the next setting is due.
  var nextCue: Int? { cues.first?.frame }

  /// Applies the settings that are due at a frame of IN.
  func setDue(at frame: Int) throws(Failure) {
    while let next = cues.first, next.frame <= frame {
      cues.removeFirst()
      try set(next.assignment)
    }
  }

  // The first parts of the addresses that change a file. A rendering has no notes, no library, and nobody
  // who watches it.
  private static let sections: Set<Substring> = [
    "in", "lowcut", "gate", "level", "tune", "harmony", "live", "loop", "player", "out", "mute",
    "guard", "pitch", "stretch", "echo", "reverb", "chain", "metronome", "preset",
  ]
  // The notes of tune and harmonies.
  private static let keys: Set<String> = [
    "/grid/root", "/grid/scale", "/grid/tuning", "/grid/reference",
  ]

  private func set(_ assignment: String) throws(Failure) {
    let path = String(assignment.prefix { $0 != "=" })
    if node.table[path] != nil, !Self.keys.contains(path),
      !Self.sections.contains(path.dropFirst().prefix { $0 != "/" })
    {
      throw Failure(.usage, "--set: \(path) has no effect on a rendering")
    }
    try Failure.of("--set", { $0.code == .missing ? .missingInput : .usage }) {
      () throws(Refusal) in try node.set(assignment)
    }
  }

  /// Whether the pitch correction is on at the start, or is turned on later.
  var usesTune: Bool {
    value("/tune/on")?.number == 1
      || cues.contains { $0.assignment.hasPrefix("/tune/on=") && !$0.assignment.hasSuffix("=0") }
  }

  /// Processes the results of commands.
  func tick() { _ = node.tick() }

  /// The latency of the chain, in frames.
  var delay: Int { isThroughChain ? engine.shared.chainDelayFrames : 0 }

  private func value(_ path: String) -> Argument? {
    node.table[path].flatMap(node.argument(for:))
  }

  private var isThroughChain: Bool { value("/live/route") == .string("chain") }

  /// The playback rate of a recording.
  private var speed: Double {
    guard isThroughChain, value("/chain/bypass")?.number == 0, value("/stretch/on")?.number == 1
    else { return 1 }
    return value("/stretch/rate")?.number ?? 1
  }
}
