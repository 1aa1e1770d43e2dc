/// A recorder of what is heard, frame by frame, which can hold the server back.
package final class Ear: @unchecked Sendable {
  /// The turnstile that holds the server back.
  package let turnstile = Turnstile()
  private var first: Int64?
  private var samples: [Float] = []

  /// Creates an ear that has heard nothing.
  package init() {}

  /// Records a block, as a probe's listener.
  package func hear(_ frame: UInt32, _ block: UnsafeBufferPointer<Float>) {
    let start = turnstile.widen(frame)
    first = first ?? start
    samples += block
    turnstile.pass(start + Int64(block.count))
  }

  /// The sample heard at a frame.
  package subscript(frame: Int64) -> Float { samples[Int(frame - first!)] }

  /// The samples heard in a range of frames.
  package subscript(frames: Range<Int64>) -> ArraySlice<Float> {
    samples[Int(frames.lowerBound - first!)..<Int(frames.upperBound - first!)]
  }

  /// Forgets the samples heard so far, while the server is held back.
  package func forget() {
    samples.removeAll(keepingCapacity: true)
    first = nil
  }
}
