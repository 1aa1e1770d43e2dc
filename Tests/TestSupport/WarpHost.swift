package import DSP

/// A host that plays a signal through a delay buffer and a `Warp`, in blocks.
package struct WarpHost: ~Copyable {
  private var tape: Tape
  /// The warp under test.
  package var warp: Warp

  /// Creates a warp on a delay buffer of ten seconds, which starts at the frame `head`.
  package init(sampleRate: Double = 48_000, head: Int64 = 0) {
    tape = Tape(seconds: 10.2, reach: 16_384, sampleRate: sampleRate, head: head)
    warp = Warp(seconds: 10, sampleRate: sampleRate)
  }

  /// Renders the output while `left` and `right` are written; both sides are equal unless given.
  package mutating func render(
    _ left: [Float], right: [Float]? = nil, block: Int = 512
  ) -> (left: [Float], right: [Float]) {
    var (outLeft, outRight) = (left, left)
    var input = [Float](repeating: 0, count: 2 * block)
    var start = 0
    while start < left.count {
      let frames = min(block, left.count - start)
      for frame in 0..<frames {
        input[frame] = left[start + frame]
        input[block + frame] = (right ?? left)[start + frame]
      }
      input.withUnsafeMutableBufferPointer {
        tape.write(Stereo($0.baseAddress!, $0.baseAddress! + block), frames: frames)
      }
      let sounds = withStereo(&outLeft, &outRight) {
        warp.process(tape, to: $0.advanced(by: start), frames: frames)
      }
      if !sounds {
        for frame in start..<start + frames { (outLeft[frame], outRight[frame]) = (0, 0) }
      }
      start += frames
    }
    return (outLeft, outRight)
  }
}
