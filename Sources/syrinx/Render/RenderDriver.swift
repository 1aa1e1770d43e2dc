internal import DSP
internal import Engine
internal import Takes

/// Renders an engine block by block, as fast as it is asked to.
final class RenderDriver {
  /// The most frames that a block has.
  static let longestBlock = 1024

  /// What goes in: to be filled before each block.
  let input = StereoBuffer(frames: longestBlock)
  /// What came out of the last block.
  let output = StereoBuffer(frames: longestBlock)
  /// How many frames were rendered.
  private(set) var frames = 0

  private let rate: Double
  private let renderer: Renderer
  // Each has a place of its own, as a part of the engine may read what it wrote.
  private let live = StereoBuffer(frames: longestBlock)
  private let loop = StereoBuffer(frames: longestBlock)
  private let grid = StereoBuffer(frames: longestBlock)
  private let click = StereoBuffer(frames: longestBlock)

  /// Takes over an engine, at a rate in Hz.
  init(_ engine: Engine, rate: Int) {
    self.rate = Double(rate)
    renderer = engine.takeOver(sampleRate: self.rate, fadesIn: false)
  }

  /// Makes the input silent from a frame of the block on.
  func silenceInput(from frame: Int) {
    for frame in frame..<Self.longestBlock {
      input.stereo.left[frame] = 0
      input.stereo.right[frame] = 0
    }
  }

  /// Renders the next block, of so many frames.
  func render(frames count: Int) {
    let cycle = Cycle(
      frame: UInt32(truncatingIfNeeded: frames), microseconds: Double(frames) / rate * 1e6,
      isFreewheeling: true)
    let ports = Ports(
      input: input.stereo, output: output.stereo, live: live.stereo, loop: loop.stereo,
      grid: grid.stereo, click: click.stereo.left)
    precondition(renderer.render(cycle, frames: count, ports: ports))
    frames += count
  }
}
