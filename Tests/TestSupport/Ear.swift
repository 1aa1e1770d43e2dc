/// Keeps what it hears, frame by frame, and can hold the server back.
package final class Ear: @unchecked Sendable {
  /// What holds the server back.
  package let turnstile = Turnstile()
  private var first: Int64?
  private var samples: [Float] = []

  /// An ear that has heard nothing.
  package init() {}

  /// Hears a block: what a probe's listener does.
  package func hear(_ frame: UInt32, _ block: UnsafeBufferPointer<Float>) {
    let start = turnstile.widen(frame)
    first = first ?? start
    samples += block
    turnstile.pass(start + Int64(block.count))
  }

  /// What was heard at a frame.
  package subscript(frame: Int64) -> Float { samples[Int(frame - first!)] }

  /// What was heard in some frames.
  package subscript(frames: Range<Int64>) -> ArraySlice<Float> {
    samples[Int(frames.lowerBound - first!)..<Int(frames.upperBound - first!)]
  }

  /// Forgets what was heard so far, while the server is held back.
  package func forget() {
    samples.removeAll(keepingCapacity: true)
    first = nil
  }
}
