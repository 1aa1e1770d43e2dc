internal import CRealtime

/// Memory for minutes of sound: silent, and there from the start, in large pages where there are some.
package struct LastingMemory: ~Copyable, @unchecked Sendable {
  /// The first sample.
  package let samples: UnsafeMutablePointer<Float>
  private let bytes: Int

  /// Memory for so many samples.
  ///
  /// Not on the audio thread.
  package init(count: Int) {
    bytes = max(1, count) * MemoryLayout<Float>.stride
    guard let memory = rt_take_memory(bytes) else {
      fatalError("there is no memory for \(bytes) bytes of sound")
    }
    samples = memory.bindMemory(to: Float.self, capacity: count)
  }

  deinit { rt_give_memory(samples, bytes) }
}
