internal import CSndfile

/// The handle by which libsndfile knows an open file.
package struct SoundHandle: ~Copyable {
  package let pointer: OpaquePointer

  package init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// Writes what is left and closes; 0 where all went well.
  package consuming func close() -> Int32 {
    let result = sf_close(pointer)
    discard self
    return result
  }

  deinit { sf_close(pointer) }
}

/// Memory for frames with their channels side by side, as libsndfile has them.
package struct Interleaved<Sample: BitwiseCopyable>: ~Copyable {
  package let samples: UnsafeMutablePointer<Sample>

  package init(count: Int) { samples = .allocate(capacity: count) }

  deinit { samples.deallocate() }
}
