package import DSP
package import Engine

/// An offline driver without a clock: it renders an engine block by block, on demand.
package final class RenderDriver {
  /// The maximum number of frames in a block.
  package static let longestBlock = 1024

  /// The input, to be filled before each block.
  package var input: Stereo { memory.ports.input }
  /// The output of the last block.
  package var output: Stereo { memory.ports.output }
  /// The number of frames rendered so far.
  package private(set) var frames = 0

  private let rate: Double
  private let renderer: Renderer
  // Retained for as long as the engine plays it.
  private var recording: SongRing?
  private let memory: PortMemory

  /// Takes over an engine, at a sample rate in Hz.
  package init(_ engine: Engine, rate: Int) {
    self.rate = Double(rate)
    memory = PortMemory(frames: Self.longestBlock, loops: engine.shared.loops.count)
    renderer = engine.takeOver(sampleRate: self.rate, .atFullLevel)
  }

  /// Plays a recording in place of the input, from the first block on, with or without pitch correction.
  ///
  /// Its ring must always hold enough for a block at the fastest rate.
  package func play(_ recording: SongRing, isTuned: Bool) {
    self.recording = recording
    renderer.play(recording.pointer, isTuned: isTuned)
  }

  /// Silences the input from a frame of the block on.
  package func silenceInput(from frame: Int) {
    let rest = input.advanced(by: frame)
    Blocks.clear(rest.left, frames: Self.longestBlock - frame)
    Blocks.clear(rest.right, frames: Self.longestBlock - frame)
  }

  /// Renders the next block.
  package func render(frames count: Int) {
    let cycle = Cycle(
      frame: UInt32(truncatingIfNeeded: frames), microseconds: Double(frames) / rate * 1e6,
      isFreewheeling: true)
    precondition(renderer.render(cycle, frames: count, ports: memory.ports))
    frames += count
  }
}
