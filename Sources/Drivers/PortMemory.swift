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

  /// Silent memory for blocks of up to so many frames.
  package init(frames: Int) {
    let sides = 11
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: sides * frames)
    memory.initialize(repeating: 0, count: sides * frames)
    func stereo(_ side: Int) -> Stereo {
      Stereo(memory + side * frames, memory + (side + 1) * frames)
    }
    ports = Ports(
      input: stereo(0), output: stereo(2), live: stereo(4), loop: stereo(6), grid: stereo(8),
      click: memory + 10 * frames)
    self.frames = frames
    self.memory = memory
  }

  deinit { memory.deallocate() }
}
