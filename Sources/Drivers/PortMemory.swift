internal import DSP
package import Engine

/// Memory for a block of every port of an engine, for drivers that have no server to give it.
///
/// Each port has a place of its own: the engine may read what it wrote.
package struct PortMemory: ~Copyable {
  /// The most frames that a block has.
  package let frames: Int
  /// The ports, silent at first.
  package let ports: Ports
  private let memory: UnsafeMutablePointer<Float>
  private let furtherLoops: UnsafeMutablePointer<Stereo>

  /// Silent memory for blocks of up to so many frames, of an engine with so many loops.
  package init(frames: Int, loops: Int) {
    let sides = 11 + 2 * (loops - 1)
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: sides * frames)
    memory.initialize(repeating: 0, count: sides * frames)
    func stereo(_ side: Int) -> Stereo {
      Stereo(memory + side * frames, memory + (side + 1) * frames)
    }
    furtherLoops = .allocate(capacity: loops)
    for index in 0..<loops - 1 {
      (furtherLoops + index).initialize(to: stereo(11 + 2 * index))
    }
    ports = Ports(
      input: stereo(0), output: stereo(2), live: stereo(4), loop: stereo(6), grid: stereo(8),
      click: memory + 10 * frames, furtherLoops: furtherLoops)
    self.frames = frames
    self.memory = memory
  }

  deinit {
    memory.deallocate()
    furtherLoops.deallocate()
  }
}
