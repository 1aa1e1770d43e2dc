internal import DSP
package import Engine

/// Memory for a block of every port of an engine, for drivers without a server that provides it.
///
/// No two ports share memory: the engine may read what it wrote.
package struct PortMemory: ~Copyable {
  /// The maximum number of frames in a block.
  package let frames: Int
  /// The ports, initially silent.
  package let ports: Ports
  private let buffers = Buffers()

  /// Allocates silent memory for blocks of up to `frames` frames, for an engine with `count` loops.
  package init(frames: Int, loops count: Int) {
    self.frames = frames
    let buffers = self.buffers
    ports = Ports(
      input: buffers.stereo(frames), output: buffers.stereo(frames), live: buffers.stereo(frames),
      harmony: buffers.stereo(frames), grid: buffers.stereo(frames), click: buffers.floats(frames),
      loops: buffers.made(count: count) { _ in buffers.stereo(frames) })
  }
}
