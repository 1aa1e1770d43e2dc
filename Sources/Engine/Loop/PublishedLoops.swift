internal import DSP

/// The state of all loops, published by the audio thread.
package struct PublishedLoops: ~Copyable, @unchecked Sendable {
  /// One loop.
  package struct Slot: ~Copyable, Sendable {
    /// Its state.
    package let state = PublishedLoop()
    /// The peaks of its clip.
    package let peaks = PublishedPeaks()
  }

  /// The number of loops.
  package let count: Int
  /// The length of the longest clip, in seconds.
  package let seconds: Double
  /// The length of the history of each source, in seconds.
  package let keptSeconds: Double
  private let buffers = Buffers()
  private let loops: UnsafeMutablePointer<Slot>

  init(_ setup: LoopSetup) {
    count = setup.count
    seconds = setup.seconds
    keptSeconds = setup.keptSeconds
    loops = buffers.made(count: count) { _ in Slot() }
  }

  /// The loop with an index from 0.
  package subscript(index: Int) -> Slot {
    @_noLocks unsafeAddress { UnsafePointer(loops + index) }
  }

  /// The loop with an index from 0, for the audio thread.
  @_noLocks
  func pointer(_ index: Int) -> UnsafeMutablePointer<Slot> { loops + index }
}
