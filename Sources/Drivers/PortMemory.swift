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
  private let memory: UnsafeMutablePointer<Float>
  private let loops: UnsafeMutablePointer<Stereo>

  /// Allocates silent memory for blocks of up to `frames` frames, for an engine with `count` loops.
  package init(frames: Int, loops count: Int) {
    let sides = 2 * (4 + count) + 1
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: sides * frames)
    memory.initialize(repeating: 0, count: sides * frames)
    func stereo(_ index: Int) -> Stereo {
      Stereo(memory + 2 * index * frames, memory + (2 * index + 1) * frames)
    }
    loops = .allocate(capacity: count)
    for index in 0..<count { (loops + index).initialize(to: stereo(4 + index)) }
    ports = Ports(
      input: stereo(0), output: stereo(1), live: stereo(2), grid: stereo(3),
      click: memory + (sides - 1) * frames, loops: loops)
    self.frames = frames
    self.memory = memory
  }

  deinit {
    memory.deallocate()
    loops.deallocate()
  }
}
