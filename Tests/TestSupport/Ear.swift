internal import Synchronization

/// A recorder of the node's output by frame, which can hold back the server.
///
/// The test may read while the server runs on: the turnstile holds it back only after the block in which the
/// test closes it.
package final class Ear: Sendable {
  private struct Recording {
    var first: Int64?
    var samples: [Float] = []

    func index(_ frame: Int64) -> Int { Int(frame - first!) }
  }

  /// The turnstile that holds back the server.
  package let turnstile = Turnstile()
  private let recording = Mutex(Recording())

  /// Creates an empty recorder.
  package init() {}

  /// Records a block, as a probe's listener.
  package func hear(_ frame: UInt32, _ block: UnsafeBufferPointer<Float>) {
    let start = turnstile.widen(frame)
    recording.withLock {
      $0.first = $0.first ?? start
      $0.samples += block
    }
    turnstile.pass(start + Int64(block.count))
  }

  /// The sample recorded at a frame.
  package subscript(frame: Int64) -> Float { recording.withLock { $0.samples[$0.index(frame)] } }

  /// The samples recorded in a range of frames.
  package subscript(frames: Range<Int64>) -> ArraySlice<Float> {
    recording.withLock { $0.samples[$0.index(frames.lowerBound)..<$0.index(frames.upperBound)] }
  }

  /// Discards the recorded samples.
  package func forget() {
    recording.withLock {
      $0.samples.removeAll(keepingCapacity: true)
      $0.first = nil
    }
  }
}
