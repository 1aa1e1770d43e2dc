internal import CSndfile

/// An open libsndfile handle.
package struct SoundHandle: ~Copyable {
  package let pointer: OpaquePointer

  package init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// Flushes and closes the file.
  ///
  /// Returns 0 on success.
  package consuming func close() -> Int32 {
    let result = sf_close(pointer)
    discard self
    return result
  }

  deinit { sf_close(pointer) }
}

/// Memory for interleaved frames, as libsndfile uses them.
package struct Interleaved<Sample: BitwiseCopyable>: ~Copyable {
  package let samples: UnsafeMutablePointer<Sample>

  package init(count: Int) { samples = .allocate(capacity: count) }

  deinit { samples.deallocate() }
}
