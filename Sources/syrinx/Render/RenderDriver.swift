internal import DSP
internal import Engine
internal import Takes

/// Renders an engine block by block, of one length, as fast as it is asked to.
final class RenderDriver {
  /// How many frames a block has; fixed, so that nothing depends on the machine.
  static let blockFrames = 1024

  /// What goes in: to be filled before each block.
  let input = StereoBuffer(frames: blockFrames)
  /// What came out of the last block.
  let output = StereoBuffer(frames: blockFrames)
  /// How many frames were rendered.
  private(set) var frames = 0

  private let rate: Double
  private let renderer: Renderer
  // Each has a place of its own, as a part of the engine may read what it wrote.
  private let live = StereoBuffer(frames: blockFrames)
  private let loop = StereoBuffer(frames: blockFrames)
  private let grid = StereoBuffer(frames: blockFrames)
  private let click = StereoBuffer(frames: blockFrames)

  /// Takes over an engine, at a rate in Hz.
  init(_ engine: Engine, rate: Int) {
    self.rate = Double(rate)
    renderer = engine.takeOver(sampleRate: self.rate, fadesIn: false)
  }

  /// Makes the input silent from a frame of the block on.
  func silenceInput(from frame: Int) {
    for frame in frame..<Self.blockFrames {
      input.stereo.left[frame] = 0
      input.stereo.right[frame] = 0
    }
  }

  /// Renders the next block.
  func render() {
    let cycle = Cycle(
      frame: UInt32(truncatingIfNeeded: frames), microseconds: Double(frames) / rate * 1e6,
      isFreewheeling: true)
    let ports = Ports(
      input: input.stereo, output: output.stereo, live: live.stereo, loop: loop.stereo,
      grid: grid.stereo, click: click.stereo.left)
    precondition(renderer.render(cycle, frames: Self.blockFrames, ports: ports))
    frames += Self.blockFrames
  }
}
