package import DSP

/// Memory for a block of stereo sound.
package struct StereoBuffer: ~Copyable {
  /// Where the sound is.
  package let stereo: Stereo
  /// How many frames there is room for.
  package let frames: Int

  /// A silent block.
  package init(frames: Int) {
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * frames)
    memory.initialize(repeating: 0, count: 2 * frames)
    stereo = Stereo(memory, memory + frames)
    self.frames = frames
  }

  deinit { stereo.left.deallocate() }
}
