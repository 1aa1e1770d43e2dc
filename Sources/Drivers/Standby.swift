package import Engine
package import Posix
internal import Synchronization

/// The driver while there is no server: it renders the engine by the host's clock and discards the
/// output, so that commands take effect and replies arrive as usual.
package final class Standby: Sendable {
  private static let periodMilliseconds = 5
  private static let longestBlock = 4096

  private let isWanted = Atomic<Bool>(true)
  private let stop: Signal

  /// Takes over the engine, and renders it until `end`.
  package init(_ engine: Engine) throws(SystemError) {
    stop = try Signal()
    // The rate of the last server, which the next one most likely has, too.
    let rate = Double(engine.shared.sampleRate)
    let renderer = engine.takeOver(sampleRate: rate, .withoutInput)
    try Thread.start("standby") { [self] in run(renderer, engine, rate: rate) }
  }

  /// Stops rendering.
  ///
  /// The next driver may take over the engine before or after.
  package func end() {
    isWanted.store(false, ordering: .relaxed)
    stop.set()
  }

  private func run(_ renderer: Renderer, _ engine: Engine, rate: Double) {
    let memory = PortMemory(
      frames: Self.longestBlock, loops: engine.shared.loops.count)
    let start = HostTime.steady
    var done = 0.0
    var frame: UInt32 = 0
    while isWanted.load(ordering: .relaxed) {
      stop.wait(milliseconds: Self.periodMilliseconds)
      let now = HostTime.steady
      let owed = (now - start) * rate / 1e6 - done
      let frames = min(Int(owed), Self.longestBlock)
      guard frames > 0 else { continue }
      let cycle = Cycle(frame: frame, microseconds: now, isFreewheeling: false)
      guard renderer.render(cycle, frames: frames, ports: memory.ports) else { return }
      frame &+= UInt32(frames)
      done += max(Double(frames), owed.rounded(.down))
    }
  }
}
