/// A recorder of the node's output by frame, which can hold back the server.
package final class Ear: @unchecked Sendable {
  /// The turnstile that holds back the server.
  package let turnstile = Turnstile()
  private var first: Int64?
  private var samples: [Float] = []

  /// Creates an empty recorder.
  package init() {}

  /// Records a block, as a probe's listener.
  package func hear(_ frame: UInt32, _ block: UnsafeBufferPointer<Float>) {
    let start = turnstile.widen(frame)
    first = first ?? start
    samples += block
    turnstile.pass(start + Int64(block.count))
  }

  /// The sample recorded at a frame.
  package subscript(frame: Int64) -> Float { samples[Int(frame - first!)] }

  /// The samples recorded in a range of frames.
  package subscript(frames: Range<Int64>) -> ArraySlice<Float> {
    samples[Int(frames.lowerBound - first!)..<Int(frames.upperBound - first!)]
  }

  /// Discards the recorded samples, while the server is held back.
  package func forget() {
    samples.removeAll(keepingCapacity: true)
    first = nil
  }
}
