package import DSP

/// Memory for a block of stereo sound.
package struct StereoBuffer: ~Copyable {
  /// The samples of both channels.
  package let stereo: Stereo
  /// The capacity in frames.
  package let frames: Int

  /// Creates a silent block.
  package init(frames: Int) {
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * frames)
    memory.initialize(repeating: 0, count: 2 * frames)
    stereo = Stereo(memory, memory + frames)
    self.frames = frames
  }

  deinit { stereo.left.deallocate() }
}
